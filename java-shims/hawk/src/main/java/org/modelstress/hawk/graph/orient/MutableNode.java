package org.modelstress.hawk.graph.orient;

import java.util.function.LongFunction;
import org.eclipse.collections.impl.map.mutable.primitive.IntObjectHashMap;
import org.eclipse.collections.impl.map.mutable.primitive.LongObjectHashMap;

/** A node as a transaction sees and changes it. */
final class MutableNode {
  final long id;

  /** Whether the database has it already. */
  final boolean stored;

  /** Whether the transaction deleted it. */
  boolean deleted;

  /** Properties by key. */
  final IntObjectHashMap<Object> properties = new IntObjectHashMap<>();

  /** Index entries by the number of the index. */
  final IntObjectHashMap<Object> entries = new IntObjectHashMap<>();

  /** Index entries that the database has. */
  final IntObjectHashMap<Object> storedEntries = new IntObjectHashMap<>();

  private final LongObjectHashMap<EdgeList> lists = new LongObjectHashMap<>();
  private final LongFunction<byte[]> chunks;

  /** A new node. */
  MutableNode(long id, LongFunction<byte[]> chunks) {
    this.id = id;
    this.stored = false;
    this.chunks = chunks;
  }

  /** A stored node. */
  MutableNode(long id, byte[] record, LongFunction<byte[]> chunks) {
    this.id = id;
    this.stored = true;
    this.chunks = chunks;
    ByteSource source = new ByteSource().from(record);
    readValues(source, properties);
    readValues(source, storedEntries);
    entries.putAll(storedEntries);
    while (!source.atEnd()) {
      long head = source.number();
      int count = source.count();
      source.number();
      lists.put(head & ~1L, EdgeList.read(id, count, (head & 1) != 0, source, chunks));
    }
  }

  private static void readValues(ByteSource source, IntObjectHashMap<Object> into) {
    int end = source.count();
    end += source.position();
    while (source.position() < end) {
      int key = source.count();
      into.put(key, PropertyCodec.read(source));
    }
  }

  /** The list of a label and direction; null if there is none. */
  EdgeList list(int label, boolean out) {
    return lists.get(NodeRecord.head(label, out, false));
  }

  /** The list of a label and direction, created if there is none. */
  EdgeList need(int label, boolean out) {
    return lists.getIfAbsentPut(NodeRecord.head(label, out, false), () -> new EdgeList(chunks));
  }

  /** What {@link #eachList} tells of. */
  interface ListVisitor {
    void visit(int label, boolean out, EdgeList list);
  }

  void eachList(ListVisitor visitor) {
    for (long head : lists.keySet().toSortedArray()) {
      visitor.visit((int) (head >>> 2), (head & 2) != 0, lists.get(head));
    }
  }

  /** Writes the chunks of its lists and returns its record. */
  byte[] write(EdgeList.ChunkStore store) {
    ByteSink record = new ByteSink();
    writeValues(properties, record);
    writeValues(entries, record);
    eachList((label, out, list) -> list.write(id, label, out, record, store));
    return record.toBytes();
  }

  private static void writeValues(IntObjectHashMap<Object> values, ByteSink record) {
    ByteSink block = new ByteSink();
    values.forEachKeyValue(
        (key, value) -> {
          block.number(key);
          PropertyCodec.write(block, value);
        });
    record.block(block);
  }
}
