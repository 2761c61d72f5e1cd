package org.modelstress.hawk.graph.orient;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;

/**
 * The neighbours of one node by one label in one direction, while a transaction changes them: a bag
 * in ascending order, in chunks of which only the changed ones are read and written.
 */
final class EdgeList {
  /** A longer list is stored in chunks. */
  static final int LONGEST_INLINE = 1024;

  /** Neighbours in a chunk that is written at once. */
  static final int CHUNK = 4096;

  private static final int LONGEST_CHUNK = 2 * CHUNK;

  /** A part of the list. */
  static final class Chunk {
    /** Where it is stored, or -1. */
    private long position = -1;

    private long first;
    private int size;

    /** Its neighbours, null until they are needed. */
    private LongArrayList nodes;

    private boolean changed;
  }

  /** Writes the chunks of a list. */
  interface ChunkStore {
    long create(byte[] chunk);

    void update(long position, byte[] chunk);

    void delete(long position);
  }

  private final List<Chunk> chunks = new ArrayList<>();
  private final List<Long> dropped = new ArrayList<>();
  private final LongFunction<byte[]> reader;

  /**
   * @param reader reads the chunk at a position
   */
  EdgeList(LongFunction<byte[]> reader) {
    this.reader = reader;
  }

  /** Reads a list behind its head. */
  static EdgeList read(
      long node, int count, boolean chunked, ByteSource source, LongFunction<byte[]> reader) {
    EdgeList list = new EdgeList(reader);
    if (chunked) {
      long first = node;
      for (int left = source.count(); left > 0; left--) {
        Chunk chunk = new Chunk();
        chunk.position = source.number();
        first += source.signed();
        chunk.first = first;
        chunk.size = source.count();
        list.chunks.add(chunk);
      }
    } else {
      Chunk chunk = new Chunk();
      chunk.nodes = new LongArrayList(count + 1);
      long next = node + source.signed();
      chunk.nodes.add(next);
      for (int i = 1; i < count; i++) {
        next += source.number();
        chunk.nodes.add(next);
      }
      chunk.first = chunk.nodes.getFirst();
      chunk.size = count;
      list.chunks.add(chunk);
    }
    return list;
  }

  int size() {
    int size = 0;
    for (Chunk chunk : chunks) {
      size += chunk.size;
    }
    return size;
  }

  /** One neighbour, or -1. */
  long one() {
    return chunks.isEmpty() ? -1 : chunks.get(0).first;
  }

  void all(LongArrayList into) {
    for (Chunk chunk : chunks) {
      into.addAll(nodes(chunk));
    }
  }

  private LongArrayList nodes(Chunk chunk) {
    if (chunk.nodes == null) {
      chunk.nodes = new LongArrayList(chunk.size + 1);
      NodeRecord.readChunk(
          new ByteSource().from(reader.apply(chunk.position)), chunk.size, chunk.nodes);
    }
    return chunk.nodes;
  }

  /** Index of the chunk where a node is or would be, the last one that may hold it. */
  private int chunkOf(long node) {
    int low = 0;
    int high = chunks.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (chunks.get(middle).first <= node) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  void add(long node) {
    if (chunks.isEmpty()) {
      Chunk chunk = new Chunk();
      chunk.nodes = new LongArrayList();
      chunks.add(chunk);
    }
    int index = chunkOf(node);
    Chunk chunk = chunks.get(index);
    LongArrayList nodes = nodes(chunk);
    int place = nodes.isEmpty() || nodes.getLast() <= node ? nodes.size() : place(nodes, node);
    nodes.addAtIndex(place, node);
    changed(chunk);
    if (chunk.size > LONGEST_CHUNK) {
      split(index);
    }
  }

  /** Removes one occurrence; says whether there was one. */
  boolean remove(long node) {
    if (chunks.isEmpty()) {
      return false;
    }
    // equal nodes may begin in one chunk and go on in the next; the last chunk begins with one then
    int index = chunkOf(node);
    Chunk chunk = chunks.get(index);
    LongArrayList nodes = nodes(chunk);
    int place = place(nodes, node);
    if (place == nodes.size() || nodes.get(place) != node) {
      return false;
    }
    nodes.removeAtIndex(place);
    if (nodes.isEmpty()) {
      chunks.remove(index);
      drop(chunk);
    } else {
      changed(chunk);
    }
    return true;
  }

  private static int place(LongArrayList nodes, long node) {
    int found = nodes.binarySearch(node);
    return found < 0 ? -found - 1 : found;
  }

  private static void changed(Chunk chunk) {
    chunk.changed = true;
    chunk.size = chunk.nodes.size();
    chunk.first = chunk.nodes.getFirst();
  }

  private void split(int index) {
    Chunk chunk = chunks.get(index);
    LongArrayList nodes = chunk.nodes;
    int half = nodes.size() / 2;
    Chunk second = new Chunk();
    second.nodes = new LongArrayList(nodes.size());
    chunk.nodes = new LongArrayList(nodes.size());
    for (int i = 0; i < nodes.size(); i++) {
      (i < half ? chunk.nodes : second.nodes).add(nodes.get(i));
    }
    changed(chunk);
    changed(second);
    chunks.add(index + 1, second);
  }

  private void drop(Chunk chunk) {
    if (chunk.position >= 0) {
      dropped.add(chunk.position);
      chunk.position = -1;
    }
  }

  /** Gives up the chunks of a list that is deleted. */
  void clear() {
    chunks.forEach(this::drop);
    chunks.clear();
  }

  /** Writes the list behind its head, and its chunks. */
  void write(long node, int label, boolean out, ByteSink sink, ChunkStore store) {
    int size = size();
    boolean chunked = size > LONGEST_INLINE;
    ByteSink body = new ByteSink();
    if (chunked) {
      body.number(chunks.size());
      long before = node;
      for (Chunk chunk : chunks) {
        save(chunk, store);
        body.number(chunk.position);
        body.signed(chunk.first - before);
        body.number(chunk.size);
        before = chunk.first;
      }
    } else {
      LongArrayList nodes = new LongArrayList(size);
      all(nodes);
      chunks.forEach(this::drop);
      writeInline(node, nodes.toArray(), 0, size, body);
    }
    dropped.forEach(store::delete);
    dropped.clear();
    if (size > 0) {
      sink.number(NodeRecord.head(label, out, chunked));
      sink.number(size);
      sink.block(body);
    }
  }

  private static void save(Chunk chunk, ChunkStore store) {
    if (chunk.position < 0) {
      chunk.position = store.create(bytes(chunk.nodes.toArray(), 0, chunk.size));
    } else if (chunk.changed) {
      store.update(chunk.position, bytes(chunk.nodes.toArray(), 0, chunk.size));
    }
    chunk.changed = false;
  }

  /** Writes a short sorted list behind its head. */
  static void writeInline(long node, long[] nodes, int from, int to, ByteSink body) {
    long before = node;
    for (int i = from; i < to; i++) {
      if (i == from) {
        body.signed(nodes[i] - before);
      } else {
        body.number(nodes[i] - before);
      }
      before = nodes[i];
    }
  }

  /** Writes a long sorted list behind its head, and its chunks; returns the chunks' size. */
  static long writeChunks(
      long node, long[] nodes, int from, int to, ByteSink body, ChunkStore store) {
    body.number((to - from + CHUNK - 1) / CHUNK);
    long before = node;
    long bytes = 0;
    for (int start = from; start < to; start += CHUNK) {
      int end = Math.min(to, start + CHUNK);
      byte[] chunk = bytes(nodes, start, end);
      body.number(store.create(chunk));
      body.signed(nodes[start] - before);
      body.number(end - start);
      before = nodes[start];
      bytes += chunk.length;
    }
    return bytes;
  }

  /** A chunk of sorted nodes, as {@link NodeRecord#readChunk} reads it. */
  private static byte[] bytes(long[] nodes, int from, int to) {
    ByteSink sink = new ByteSink();
    long before = 0;
    for (int i = from; i < to; i++) {
      sink.number(nodes[i] - before);
      before = nodes[i];
    }
    return sink.toBytes();
  }
}
