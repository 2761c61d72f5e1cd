package org.modelstress.hawk.graph.orient;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The records of recently read nodes, for all threads. OrientDB's own record caches belong to
 * sessions, so 64 threads would hold 64 copies and each would read everything anew from the disk
 * cache; this is one, of bounded size. Without locks: a slot holds one of the nodes whose number
 * leads to it.
 *
 * <p>A record that was read before a commit and put after it would be stale for good. So a commit
 * counts up the version before it changes anything and again behind {@link #forget}, and a reader
 * that finds another version than before its read takes out again what it put.
 */
final class RecordCache {
  /** Longer records are of few nodes, and read rarely. */
  private static final int LONGEST = 16 * 1024;

  private static final int TYPICAL = 200;

  private record Slot(long node, byte[] record) {}

  private final AtomicReferenceArray<Slot> slots;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong version = new AtomicLong();
  private final long most;
  private final int mask;

  /**
   * @param most bound of the records' size, in bytes
   */
  RecordCache(long most) {
    this.most = most;
    int size = Integer.highestOneBit((int) Math.max(64, Math.min(most / TYPICAL, 1 << 24)));
    slots = new AtomicReferenceArray<>(size);
    mask = size - 1;
  }

  private int slot(long node) {
    return (int) (NodeIds.position(node) + (node & 7) * 0x9E3779B1L) & mask;
  }

  /** The node's record, or null. */
  byte[] get(long node) {
    Slot slot = slots.get(slot(node));
    return slot != null && slot.node == node ? slot.record : null;
  }

  /** To be asked before a record is read that will be put. */
  long version() {
    return version.get();
  }

  /** Keeps a record that was read since a version. */
  void put(long node, byte[] record, long since) {
    if (record.length > LONGEST || (since & 1) != 0) {
      return;
    }
    int index = slot(node);
    Slot old = slots.get(index);
    long more = record.length - (old == null ? 0 : old.record.length);
    if (bytes.get() + more > most && more > 0) {
      return;
    }
    Slot put = new Slot(node, record);
    if (slots.compareAndSet(index, old, put)) {
      bytes.addAndGet(more);
      if (version.get() != since) {
        clear(index, put);
      }
    }
  }

  /** Before and after a commit's changes. */
  void count() {
    version.incrementAndGet();
  }

  /** Drops a node's record. */
  void forget(long node) {
    int index = slot(node);
    Slot old = slots.get(index);
    if (old != null && old.node == node) {
      clear(index, old);
    }
  }

  private void clear(int index, Slot old) {
    if (slots.compareAndSet(index, old, null)) {
      bytes.addAndGet(-old.record.length);
    }
  }
}
