package org.modelstress.hawk.graph.neo4j;

/** Names of labels and properties beside those of the callers. */
final class Names {
  /** Label of every node, so that one schema index can hold any of them. */
  static final String NODE = "node";

  /** Begin of the names of indices and of the properties that they index. */
  static final String INDEX = "ix:";

  /** Begin of the names of properties that hold an index entry too long for the index. */
  static final String LONG_ENTRY = "long-ix:";

  private Names() {}

  static boolean isInternal(String property) {
    return property.startsWith(INDEX) || property.startsWith(LONG_ENTRY);
  }
}
