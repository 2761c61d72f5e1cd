package org.modelstress.metadata.service;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataException.Reason;
import org.modelstress.metadata.store.ObjectStore;
import org.modelstress.metadata.store.StoreConnection;

/**
 * A queue and one thread that commits whatever waits in it, up to {@link #GROUP} updates at once: a
 * flush of the disk serves many.
 */
final class QueueControl implements UpdateControl {
  private static final int WAITING = 10_000;
  private static final int GROUP = 100;
  private static final long END_MILLIS = 5_000;

  private final ObjectStore store;
  private final long timeoutMillis;
  private final BlockingQueue<Entry<?>> queue = new ArrayBlockingQueue<>(WAITING);
  private final Thread writer;
  private volatile boolean closed;

  /** An update that waits, or is under way. */
  private static final class Entry<T> {
    private final ObjectStore.Work<T> work;
    private final boolean several;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private T made;
    private MetadataException refused;

    Entry(ObjectStore.Work<T> work, boolean several) {
      this.work = work;
      this.several = several;
    }

    /** What fails by itself has written nothing, or is taken back, and harms no other. */
    void run(StoreConnection connection) throws java.sql.SQLException {
      made = null;
      refused = null;
      try {
        made = several ? connection.wholly(work) : work.with(connection);
      } catch (MetadataException e) {
        refused = e;
      }
    }

    void tell() {
      if (refused == null) {
        result.complete(made);
      } else {
        result.completeExceptionally(refused);
      }
    }
  }

  QueueControl(ObjectStore store, long timeoutMillis) {
    this.store = store;
    this.timeoutMillis = timeoutMillis;
    this.writer = new Thread(this::write, "update-queue");
    writer.setDaemon(true);
    writer.start();
  }

  @Override
  public <T> T update(Collection<Long> ids, ObjectStore.Work<T> work) throws MetadataException {
    Entry<T> entry = new Entry<>(work, ids.size() > 1);
    if (closed || !queue.offer(entry)) {
      throw new MetadataException(Reason.BUSY, "too many updates are waiting");
    }
    try {
      return entry.result.get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof MetadataException known
          ? known
          : new MetadataException(Reason.FAILED, "an update failed: " + e.getCause(), e);
    } catch (TimeoutException e) {
      throw new MetadataException(
          Reason.TIMEOUT, "the update did not happen within " + timeoutMillis + " ms", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MetadataException(Reason.TIMEOUT, "waiting for an update was interrupted", e);
    }
  }

  private void write() {
    List<Entry<?>> group = new ArrayList<>();
    while (!closed) {
      try {
        group.add(queue.take());
      } catch (InterruptedException e) {
        break;
      }
      queue.drainTo(group, GROUP - 1);
      commit(group);
      group.clear();
    }
    queue.drainTo(group);
    MetadataException ended = new MetadataException(Reason.FAILED, "the service has ended");
    group.forEach(entry -> entry.result.completeExceptionally(ended));
  }

  private void commit(List<Entry<?>> group) {
    try {
      store.write(
          connection -> {
            for (Entry<?> entry : group) {
              entry.run(connection);
            }
            return null;
          });
      group.forEach(Entry::tell);
    } catch (MetadataException | RuntimeException e) {
      if (group.size() == 1) {
        group.get(0).result.completeExceptionally(e);
      } else {
        group.forEach(entry -> commit(List.of(entry))); // one of them is to blame
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    writer.interrupt();
    try {
      writer.join(END_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
