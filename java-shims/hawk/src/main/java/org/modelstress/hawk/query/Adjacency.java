package org.modelstress.hawk.query;

import java.util.Arrays;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.graph.GraphReader;

/**
 * Edges of the nodes that one evaluation came by last. A path through a model comes by a node
 * several times, along another reference each time, and a database often has to read all edges of a
 * node to find those with one label. Ends with the evaluation, which sees one state of the graph.
 */
final class Adjacency {
  private static final int SIZE = 512;
  private static final long[] UNKNOWN = {};

  private final GraphReader reader;
  private long[] nodes;
  private long[][] edges;
  private LongArrayList all;

  Adjacency(GraphReader reader) {
    this.reader = reader;
  }

  /** The edges of a node as {@link GraphReader#edges} gives them; null if they are not known. */
  private long[] known(long node) {
    if (nodes == null) {
      return null;
    }
    int place = place(node);
    return nodes[place] == node && edges[place] != UNKNOWN ? edges[place] : null;
  }

  private static int place(long node) {
    return (int) (node ^ node >>> 20) & SIZE - 1;
  }

  private long[] read(long node) {
    if (nodes == null) {
      nodes = new long[SIZE];
      edges = new long[SIZE][];
      all = new LongArrayList(64);
      Arrays.fill(nodes, GraphReader.NONE);
    }
    int place = place(node);
    if (nodes[place] != node) {
      all.clear();
      edges[place] = reader.edges(node, all) ? all.toArray() : UNKNOWN;
      nodes[place] = node;
    }
    return edges[place] == UNKNOWN ? null : edges[place];
  }

  /** The target of one edge; a database stops at the first, so nothing more is read for it. */
  long target(long node, int label) {
    long[] known = known(node);
    if (known == null) {
      return reader.target(node, label);
    }
    for (int i = 0; i < known.length; i += 2) {
      if (known[i] == 2L * label) {
        return known[i + 1];
      }
    }
    return GraphReader.NONE;
  }

  void targets(long node, int label, LongArrayList into) {
    long[] known = read(node);
    if (known == null) {
      reader.targets(node, label, into);
    } else {
      select(known, 2L * label, into);
    }
  }

  void sources(long node, int label, LongArrayList into) {
    long[] known = read(node);
    if (known == null) {
      reader.sources(node, label, into);
    } else {
      select(known, 2L * label + 1, into);
    }
  }

  private static void select(long[] known, long code, LongArrayList into) {
    for (int i = 0; i < known.length; i += 2) {
      if (known[i] == code) {
        into.add(known[i + 1]);
      }
    }
  }
}
