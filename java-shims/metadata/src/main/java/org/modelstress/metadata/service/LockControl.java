package org.modelstress.metadata.service;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataException.Reason;
import org.modelstress.metadata.store.ObjectStore;

/**
 * Locks of this process, held until the transaction is committed: one for all objects, which is the
 * report's ("only allows one update to be executed at a time", 4.2), or one for each few objects.
 */
final class LockControl implements UpdateControl {
  /** So many that different objects rarely have one lock. */
  static final int STRIPES = 4_096;

  private final ObjectStore store;
  private final ReentrantLock[] locks;
  private final long timeoutMillis;

  LockControl(ObjectStore store, int count, long timeoutMillis) {
    this.store = store;
    this.timeoutMillis = timeoutMillis;
    this.locks = new ReentrantLock[count];
    for (int i = 0; i < count; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  @Override
  public <T> T update(Collection<Long> ids, ObjectStore.Work<T> work) throws MetadataException {
    // in one order, or two groups would wait for each other
    int[] places =
        ids.stream()
            .mapToInt(id -> Math.floorMod(Long.hashCode(id * 0x9E3779B97F4A7C15L), locks.length))
            .sorted()
            .distinct()
            .toArray();
    Deque<ReentrantLock> held = new ArrayDeque<>();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    try {
      for (int place : places) {
        if (!locks[place].tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          throw new MetadataException(
              Reason.TIMEOUT, "other updates took longer than " + timeoutMillis + " ms");
        }
        held.push(locks[place]);
      }
      return store.write(work);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MetadataException(Reason.TIMEOUT, "waiting for other updates was interrupted", e);
    } finally {
      held.forEach(ReentrantLock::unlock);
    }
  }
}
