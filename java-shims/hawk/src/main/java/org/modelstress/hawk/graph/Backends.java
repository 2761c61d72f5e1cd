package org.modelstress.hawk.graph;

import org.modelstress.hawk.graph.neo4j.Neo4jBackend;
import org.modelstress.hawk.graph.orient.OrientBackend;

/** The databases by name. */
public final class Backends {
  private Backends() {}

  /**
   * The backend of a name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Backend named(String name) {
    return switch (name) {
      case "neo4j" -> new Neo4jBackend();
      case "orientdb" -> new OrientBackend();
      default ->
          throw new IllegalArgumentException(
              "there is no backend '" + name + "': use neo4j or orientdb");
    };
  }
}
