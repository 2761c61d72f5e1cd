package org.modelstress.metadata.service;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataException.Reason;

/** Groups of changes that nobody waits for while they happen (the report's section 5). */
final class Groups implements AutoCloseable {
  private static final int THREADS = 4;
  private static final int WAITING = 1_000;
  private static final long TOLD = 100_000;
  private static final Duration REMEMBERED = Duration.ofMinutes(10);
  private static final long END_SECONDS = 3;

  /** Makes the changes of a group. */
  @FunctionalInterface
  interface Worker {
    List<Changed> change(List<Change> group) throws MetadataException;
  }

  private final Worker worker;
  private final ThreadPoolExecutor threads;
  private final SecureRandom random = new SecureRandom(); // nobody guesses another one's ticket
  private final Cache<Long, CompletableFuture<List<Changed>>> tickets =
      Caffeine.newBuilder().maximumSize(TOLD).expireAfterWrite(REMEMBERED).build();

  Groups(Worker worker) {
    this.worker = worker;
    this.threads =
        new ThreadPoolExecutor(
            THREADS, THREADS, 1, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING));
    threads.allowCoreThreadTimeOut(true);
  }

  long submit(List<Change> group) throws MetadataException {
    CompletableFuture<List<Changed>> result = new CompletableFuture<>();
    long ticket = random.nextLong() & Long.MAX_VALUE;
    tickets.put(ticket, result);
    try {
      threads.execute(() -> change(group, result));
    } catch (RejectedExecutionException e) {
      tickets.invalidate(ticket);
      throw new MetadataException(Reason.BUSY, "too many groups of changes are waiting", e);
    }
    return ticket;
  }

  private void change(List<Change> group, CompletableFuture<List<Changed>> result) {
    try {
      result.complete(worker.change(group));
    } catch (MetadataException e) {
      result.completeExceptionally(e);
    } catch (RuntimeException e) {
      result.completeExceptionally(
          new MetadataException(Reason.FAILED, "a group of changes failed: " + e, e));
    }
  }

  List<Changed> await(long ticket, long millis) throws MetadataException {
    CompletableFuture<List<Changed>> result = tickets.getIfPresent(ticket);
    if (result == null) {
      throw new MetadataException(Reason.NOT_FOUND, "there is no group with ticket " + ticket);
    }
    try {
      List<Changed> changed = result.get(Math.max(0, millis), TimeUnit.MILLISECONDS);
      tickets.invalidate(ticket);
      return changed;
    } catch (TimeoutException e) {
      return null;
    } catch (ExecutionException e) {
      tickets.invalidate(ticket);
      throw (MetadataException) e.getCause();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
