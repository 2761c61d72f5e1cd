package org.modelstress.hawk.graph;

import java.util.Map;
import java.util.function.DoubleConsumer;

/**
 * Fills an empty graph as quickly as the database can, outside of transactions; what is there after
 * a crash is of no use. The caller creates all nodes first, then the edges, those of one source
 * node one after the other. One thread.
 */
public interface GraphLoader extends AutoCloseable {
  /** Creates a node with properties by name; its identifier is final. */
  long createNode(NodeKind kind, Map<String, Object> properties);

  /** Token of an edge label for this loader only. */
  int label(String name);

  /** Creates an edge. */
  void createEdge(long from, int label, long to);

  /**
   * Writes everything to disk, unless it is there; the graph can be opened afterwards.
   *
   * @param progress told the share that is written, from 0 to 1, now and then; not by two threads
   *     at once
   */
  void write(DoubleConsumer progress);

  @Override
  default void close() {
    write(share -> {});
  }
}
