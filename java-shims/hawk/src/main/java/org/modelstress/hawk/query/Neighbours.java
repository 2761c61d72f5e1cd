package org.modelstress.hawk.query;

import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.graph.GraphReader;

/**
 * What one evaluation found last along references: a path through a model often comes by the same
 * node again soon. Ends with the evaluation, which sees one state of the graph.
 */
final class Neighbours {
  private static final int SIZE = 256;

  private final GraphReader reader;
  private long[] nodes;
  private int[] codes;
  private LongArrayList[] lists;

  Neighbours(GraphReader reader) {
    this.reader = reader;
  }

  /** The targets of a node's edges with a label; nobody may change the list. */
  LongArrayList targets(long node, int label) {
    return find(node, 2 * label);
  }

  /** The sources of the edges with a label that enter a node; nobody may change the list. */
  LongArrayList sources(long node, int label) {
    return find(node, 2 * label + 1);
  }

  private LongArrayList find(long node, int code) {
    if (nodes == null) {
      nodes = new long[SIZE];
      codes = new int[SIZE];
      lists = new LongArrayList[SIZE];
    }
    int place = (int) (node ^ node >>> 20) + 31 * code & SIZE - 1;
    LongArrayList known = lists[place];
    if (known != null && nodes[place] == node && codes[place] == code) {
      return known;
    }
    LongArrayList found = new LongArrayList(4);
    if ((code & 1) == 0) {
      reader.targets(node, code >> 1, found);
    } else {
      reader.sources(node, code >> 1, found);
    }
    nodes[place] = node;
    codes[place] = code;
    lists[place] = found;
    return found;
  }
}
