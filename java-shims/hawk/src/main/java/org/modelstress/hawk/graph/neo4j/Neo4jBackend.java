package org.modelstress.hawk.graph.neo4j;

import java.nio.file.Path;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphLoader;
import org.neo4j.kernel.internal.Version;

/** Neo4j, community edition, embedded. */
public final class Neo4jBackend implements Backend {
  @Override
  public String name() {
    return "neo4j";
  }

  @Override
  public String version() {
    return "Neo4j " + Version.getNeo4jVersion();
  }

  @Override
  public GraphLoader load(Path folder, int cacheMegabytes) {
    return new Neo4jLoader(folder, cacheMegabytes);
  }

  @Override
  public Graph open(Path folder, int cacheMegabytes) {
    Neo4jDatabase database = Neo4jDatabase.open(folder, cacheMegabytes);
    try {
      return new Neo4jGraph(database);
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }
}
