package org.modelstress.hawk.graph.orient;

import java.util.function.LongFunction;
import java.util.function.ObjIntConsumer;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;

/**
 * Reads a node's record in place. A record is a block of properties (key, value), a block of index
 * entries (number of the index, value) and lists of neighbours: label and direction, number of
 * neighbours, length in bytes, and their identifiers in ascending order, the first as distance from
 * the node itself, the others from the one before. A long list is a directory instead: for each of
 * its chunks, which are records of their own, the position, the first identifier and the number of
 * neighbours.
 */
final class NodeRecord {
  private final ByteSource source = new ByteSource();
  private final ByteSource chunk = new ByteSource();
  private int count;
  private boolean chunked;

  /** First number of a list. */
  static long head(int label, boolean out, boolean chunked) {
    return (long) label << 2 | (out ? 2 : 0) | (chunked ? 1 : 0);
  }

  /** The value of a property, or null. */
  Object property(byte[] record, int key) {
    return value(source.from(record), key);
  }

  /** Tells of all properties, by key. */
  void properties(byte[] record, ObjIntConsumer<Object> each) {
    int end = source.from(record).count();
    end += source.position();
    while (source.position() < end) {
      int key = source.count();
      each.accept(PropertyCodec.read(source), key);
    }
  }

  /** The entry of an index, or null. */
  Object entry(byte[] record, int index) {
    source.from(record);
    source.skip(source.count());
    return value(source, index);
  }

  private static Object value(ByteSource source, int key) {
    int end = source.count();
    end += source.position();
    while (source.position() < end) {
      if (source.number() == key) {
        return PropertyCodec.read(source);
      }
      PropertyCodec.skip(source);
    }
    return null;
  }

  /** Number of neighbours. */
  int degree(byte[] record, int label, boolean out) {
    return seek(record, label, out) ? count : 0;
  }

  /** One neighbour, or -1. */
  long one(long node, byte[] record, int label, boolean out) {
    if (!seek(record, label, out)) {
      return -1;
    }
    if (chunked) {
      source.number();
      source.number();
    }
    return node + source.signed();
  }

  /**
   * Adds all neighbours.
   *
   * @param chunks reads the chunk at a position
   */
  void all(
      long node,
      byte[] record,
      int label,
      boolean out,
      LongFunction<byte[]> chunks,
      LongArrayList into) {
    if (!seek(record, label, out)) {
      return;
    }
    into.ensureCapacity(into.size() + count);
    if (!chunked) {
      long next = node + source.signed();
      into.add(next);
      for (int i = 1; i < count; i++) {
        next += source.number();
        into.add(next);
      }
      return;
    }
    for (int left = source.count(); left > 0; left--) {
      long position = source.number();
      source.signed();
      int size = source.count();
      readChunk(chunk.from(chunks.apply(position)), size, into);
    }
  }

  /** Adds the neighbours of a chunk. */
  static void readChunk(ByteSource chunk, int size, LongArrayList into) {
    long next = 0;
    for (int i = 0; i < size; i++) {
      next += chunk.number();
      into.add(next);
    }
  }

  private boolean seek(byte[] record, int label, boolean out) {
    long wanted = head(label, out, false);
    source.from(record);
    source.skip(source.count());
    source.skip(source.count());
    while (!source.atEnd()) {
      long head = source.number();
      count = source.count();
      int length = source.count();
      if ((head & ~1L) == wanted) {
        chunked = (head & 1) != 0;
        return true;
      }
      source.skip(length);
    }
    return false;
  }
}
