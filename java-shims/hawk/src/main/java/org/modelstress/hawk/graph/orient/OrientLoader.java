package org.modelstress.hawk.graph.orient;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.IntArrayList;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphLoader;
import org.modelstress.hawk.graph.NodeKind;

/**
 * Collects nodes and edges in arrays and at the end writes each record once, complete: identifiers
 * are known beforehand, since a cluster numbers its records from 0 in the order of their creation.
 */
final class OrientLoader implements GraphLoader {
  /** Records are created in batches of so many bytes, one atomic change each. */
  private static final int BATCH_BYTES = 512 * 1024;

  /** The log is emptied after so many bytes of records. */
  private static final long CHECKPOINT_BYTES = 64L * 1024 * 1024;

  /** Bits of a node's identifier where neighbours are sorted by label, direction and node. */
  private static final int NODE_BITS = 44;

  private static final long NODE_MASK = (1L << NODE_BITS) - 1;

  private final GraphFolder folder;
  private final OrientStore store;
  private final Tokens tokens = new Tokens();
  private final ByteSink block = new ByteSink();
  private final ByteSink properties = new ByteSink();
  private final LongArrayList nodes = new LongArrayList();
  private final IntArrayList[] ofKind = new IntArrayList[NodeKind.values().length];
  private final IntArrayList from = new IntArrayList();
  private final IntArrayList labels = new IntArrayList();
  private final IntArrayList to = new IntArrayList();
  private boolean closed;

  OrientLoader(GraphFolder folder, OrientStore store) {
    this.folder = folder;
    this.store = store;
    Arrays.setAll(ofKind, kind -> new IntArrayList());
  }

  @Override
  public long createNode(NodeKind kind, Map<String, Object> values) {
    IntArrayList its = ofKind[kind.ordinal()];
    long node = NodeIds.of(kind, its.size());
    block.clear();
    values.forEach(
        (name, value) -> {
          block.number(tokens.number(name));
          PropertyCodec.write(block, value);
        });
    properties.block(block);
    its.add(nodes.size());
    nodes.add(node);
    return node;
  }

  @Override
  public int label(String name) {
    return tokens.number(name);
  }

  @Override
  public void createEdge(long source, int label, long target) {
    from.add(ordinal(source));
    labels.add(label);
    to.add(ordinal(target));
  }

  private int ordinal(long node) {
    return ofKind[NodeIds.kind(node).ordinal()].get((int) NodeIds.position(node));
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (folder) {
      try (store) {
        store.begin(new GraphState(tokens.names(), List.of(), 0).write());
        new RecordWriter().writeAll();
      }
      folder.complete();
    } catch (IOException | RuntimeException e) {
      throw new GraphException("OrientDB failed to load the graph in " + folder.path() + ".", e);
    }
  }

  /** Edges by one of their ends. */
  private static final class Incidence {
    /** Where the edges of a node begin. */
    private final int[] starts;

    private final int[] edges;

    Incidence(IntArrayList ends, int nodes) {
      starts = new int[nodes + 1];
      ends.forEach(end -> starts[end + 1]++);
      for (int i = 0; i < nodes; i++) {
        starts[i + 1] += starts[i];
      }
      edges = new int[ends.size()];
      int[] filled = Arrays.copyOf(starts, nodes);
      for (int edge = 0; edge < edges.length; edge++) {
        edges[filled[ends.get(edge)]++] = edge;
      }
    }
  }

  /** Writes the records, in the order of the nodes. */
  private final class RecordWriter {
    private final Incidence outgoing = new Incidence(from, nodes.size());
    private final Incidence incoming = new Incidence(to, nodes.size());
    private final ByteSource source = new ByteSource().from(properties.toBytes());
    private final ByteSink record = new ByteSink();
    private final ByteSink list = new ByteSink();
    private long[] neighbours = new long[64];
    private int next;
    private long written;

    void writeAll() throws IOException {
      long checkpoint = CHECKPOINT_BYTES;
      while (next < nodes.size()) {
        store.change(this::writeBatch);
        if (written > checkpoint) {
          store.checkpoint();
          checkpoint = written + CHECKPOINT_BYTES;
        }
      }
    }

    private void writeBatch(OrientStore.Change change) {
      long end = written + BATCH_BYTES;
      while (next < nodes.size() && written < end) {
        byte[] bytes = record(next, change);
        change.createNode(nodes.get(next), bytes);
        written += bytes.length;
        next++;
      }
    }

    private byte[] record(int ordinal, OrientStore.Change change) {
      record.clear();
      int length = source.count();
      record.number(length);
      source.copy(length, record);
      record.number(0);
      int count = gather(outgoing, ordinal, to, true, 0);
      count = gather(incoming, ordinal, from, false, count);
      Arrays.sort(neighbours, 0, count);
      int start = 0;
      while (start < count) {
        long group = neighbours[start] >>> NODE_BITS;
        int end = start;
        while (end < count && neighbours[end] >>> NODE_BITS == group) {
          neighbours[end++] &= NODE_MASK;
        }
        writeList(nodes.get(ordinal), group, start, end, change);
        start = end;
      }
      return record.toBytes();
    }

    private int gather(Incidence edges, int ordinal, IntArrayList others, boolean out, int count) {
      int total = count;
      int end = edges.starts[ordinal + 1];
      for (int i = edges.starts[ordinal]; i < end; i++) {
        if (total == neighbours.length) {
          neighbours = Arrays.copyOf(neighbours, 2 * total);
        }
        int edge = edges.edges[i];
        long group = (long) labels.get(edge) << 1 | (out ? 1 : 0);
        neighbours[total++] = group << NODE_BITS | nodes.get(others.get(edge));
      }
      return total;
    }

    private void writeList(long node, long group, int start, int end, OrientStore.Change change) {
      boolean chunked = end - start > EdgeList.LONGEST_INLINE;
      list.clear();
      if (chunked) {
        written += EdgeList.writeChunks(node, neighbours, start, end, list, change);
      } else {
        EdgeList.writeInline(node, neighbours, start, end, list);
      }
      record.number(NodeRecord.head((int) (group >>> 1), (group & 1) != 0, chunked));
      record.number(end - start);
      record.block(list);
    }
  }
}
