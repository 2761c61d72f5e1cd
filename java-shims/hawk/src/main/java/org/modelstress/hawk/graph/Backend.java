package org.modelstress.hawk.graph;

import java.nio.file.Path;

/** One of the databases behind the index. */
public interface Backend {
  /** Its name in configuration and results, such as {@code neo4j}. */
  String name();

  /** Name and version of the database, such as {@code Neo4j 5.26.30}. */
  String version();

  /**
   * Begins a graph in an empty or missing folder.
   *
   * @param cacheMegabytes bound of the database's page or disk cache, MiB
   */
  GraphLoader load(Path folder, int cacheMegabytes);

  /**
   * Opens the graph in a folder.
   *
   * @param cacheMegabytes bound of the database's page or disk cache, MiB
   * @throws GraphException if there is none, or it is damaged or in use
   */
  Graph open(Path folder, int cacheMegabytes);
}
