package org.modelstress.hawk.graph;

import java.util.Map;

/**
 * A write transaction, for one thread; sees its own changes. {@link #close} undoes what was not
 * committed. At most one is open at a time.
 */
public interface GraphWriter extends GraphReader {
  /** Creates a node with properties by name. */
  long createNode(NodeKind kind, Map<String, Object> properties);

  /** Sets a property; null removes it. */
  void setProperty(long node, int key, Object value);

  /** Creates an edge. */
  void createEdge(long from, int label, long to);

  /** Deletes one edge of this label between the two nodes; says whether there was one. */
  boolean deleteEdge(long from, int label, long to);

  /** Deletes a node with its edges and index entries. */
  void deleteNode(long node);

  /** Sets the node's entry in an index, replacing an earlier one; null removes it. */
  void setIndexed(String index, long node, Object value);

  /** Makes the changes so far durable and goes on with a new transaction. */
  void commit();
}
