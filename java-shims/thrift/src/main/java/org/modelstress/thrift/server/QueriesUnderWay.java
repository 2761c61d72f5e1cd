package org.modelstress.thrift.server;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.TException;
import org.modelstress.harness.server.Slowdown;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.HeapWatch;
import org.modelstress.queries.QueryCancelledException;

/**
 * Queries that run, and why they are ended before they have an answer: they take too long or too
 * much memory, their client has gone, or the server stops.
 */
public final class QueriesUnderWay implements AutoCloseable {
  /** Connections of shorter queries are not looked at. */
  private static final long LOOK_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final String STOPS = "the server stops";

  /** Runs a query to its end or cancellation. */
  @FunctionalInterface
  public interface Work<T> {
    /** Returns the answer. */
    T run() throws TException, QueryCancelledException;
  }

  private static final class Query {
    final Cancellation cancellation;
    final Caller caller = Caller.current();
    final long begun = System.nanoTime();
    final long thread = Thread.currentThread().getId();
    final long allocatedBefore = HeapWatch.allocated(thread);
    volatile String ended;

    Query(Cancellation cancellation) {
      this.cancellation = cancellation;
    }

    long allocated() {
      return HeapWatch.allocated(thread) - allocatedBefore;
    }

    void end(String why) {
      if (ended == null) {
        ended = why;
      }
      cancellation.cancel();
    }
  }

  private static final ThreadLocal<Cancellation> CURRENT = new ThreadLocal<>();

  private final HeapWatch heap = new HeapWatch();
  private final int timeoutS;
  private final Slowdown slowdown;
  private final Set<Query> all = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Ends queries by the options' {@code query_timeout_s}. */
  public QueriesUnderWay(ApiOptions options) {
    timeoutS = options.queryTimeoutS();
    slowdown = options.slowdown();
  }

  /**
   * Runs a query for the client of this thread.
   *
   * @param cancellation that the query looks at
   * @throws FailedQuery saying why, if it was ended from here
   * @throws QueryCancelledException if somebody else cancelled it
   */
  public <T> T run(Cancellation cancellation, Work<T> work)
      throws TException, QueryCancelledException {
    Query query = new Query(cancellation);
    all.add(query);
    CURRENT.set(cancellation);
    try {
      if (closed) {
        query.end(STOPS);
      }
      long begun = slowdown.begin();
      T answer = work.run();
      slowdown.end(begun);
      return answer;
    } catch (QueryCancelledException | FailedQuery e) {
      if (query.ended != null) {
        throw new FailedQuery(query.ended);
      }
      throw e;
    } finally {
      CURRENT.remove();
      all.remove(query);
    }
  }

  /** That of the query which this thread runs; one that nobody cancels where it runs none. */
  public static Cancellation current() {
    Cancellation current = CURRENT.get();
    return current == null ? new Cancellation() : current;
  }

  /** Whether the server stops. */
  public boolean isClosed() {
    return closed;
  }

  /** Ends what takes too long or has nobody left who waits for it; to be called every second. */
  public void tidy() {
    if (heap.isNearlyFull()) {
      freeMemory();
    }
    long now = System.nanoTime();
    for (Query query : all) {
      long age = now - query.begun;
      if (age > TimeUnit.SECONDS.toNanos(timeoutS)) {
        query.end(
            "the query was cancelled: it took longer than query_timeout_s, " + timeoutS + " s");
      } else if (age > LOOK_AFTER_NANOS && query.caller != null && query.caller.hasGone()) {
        query.end("the query was cancelled: its client has closed the connection");
      }
    }
  }

  /** Ends the query that has allocated most, if the heap is nearly full and it may be the cause. */
  private void freeMemory() {
    Query most = null;
    for (Query query : all) {
      if (query.ended == null && (most == null || query.allocated() > most.allocated())) {
        most = query;
      }
    }
    if (most != null && HeapWatch.isConsiderable(most.allocated())) {
      most.end("the query was cancelled: it needs more memory than the server has");
    }
  }

  /** Ends what runs and whatever begins later. */
  @Override
  public void close() {
    closed = true;
    all.forEach(query -> query.end(STOPS));
  }
}
