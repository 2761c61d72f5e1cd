package org.modelstress.hawk.graph;

import java.util.Set;

/**
 * The index's property graph in an embedded database: directed labelled edges, navigable both ways,
 * and indices from attribute values to nodes. Safe for any number of threads; each takes readers of
 * its own.
 */
public interface Graph extends AutoCloseable {
  /** A node's identifier as the database prints it, such as {@code 4711} or {@code #12:3}. */
  String idText(long node);

  /**
   * The node of a printed identifier, whether it exists or not.
   *
   * @throws IllegalArgumentException if it is not the form of this database
   */
  long parseId(String text);

  /** The token of an edge label; valid as long as the graph is open. */
  int label(String name);

  /** The token of a property key; valid as long as the graph is open. */
  int key(String name);

  /** Creates an empty index; outside of transactions. */
  void createIndex(String name, IndexType type);

  /** Drops an index; outside of transactions. */
  void dropIndex(String name);

  /** Names of the indices. */
  Set<String> indices();

  /** Begins a read transaction for the calling thread. */
  GraphReader read();

  /** Begins a write transaction for the calling thread. */
  GraphWriter write();

  /** Ends with everything committed on disk. */
  @Override
  void close();
}
