package org.modelstress.thrift.server;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.hawk.api.InvalidQuery;
import org.modelstress.hawk.api.QueryReport;
import org.modelstress.queries.Cancellation;

/** Queries that run while their client does something else; each result is fetched once. */
public final class AsyncQueries implements AutoCloseable {
  private static final long IDLE_THREAD_S = 10;
  private static final String NOT_ENDED = "the query has not ended within ";

  /** What runs a query. */
  @FunctionalInterface
  public interface Run {
    /** Runs it, and reports it as cancelled after {@link Cancellation#cancel}. */
    QueryReport run(Cancellation cancellation) throws TException;
  }

  private static final class Pending {
    final Cancellation cancellation = new Cancellation();
    final CompletableFuture<QueryReport> report = new CompletableFuture<>();
    volatile long endedAt;

    /** The client that fetched last has gone before there was a report. */
    volatile boolean deserted;
  }

  private final ApiOptions options;
  private final ThreadPoolExecutor pool;
  private final Map<String, Pending> pending = new ConcurrentHashMap<>();

  /** Runs at most so many at once as the API's protocols may, and keeps so many results. */
  public AsyncQueries(ApiOptions options) {
    this.options = options;
    pool =
        new ThreadPoolExecutor(
            0,
            options.maxThreads(),
            IDLE_THREAD_S,
            TimeUnit.SECONDS,
            new IdleFirst(),
            task -> new Thread(task, "async-query"),
            AsyncQueries::waitForThread);
  }

  /**
   * Takes a query only when an idle thread waits for it. Without one the pool begins a thread, and
   * without room for that the query waits; a pool with an ordinary queue would begin a thread for
   * every query until it has all of them.
   */
  private static final class IdleFirst extends LinkedTransferQueue<Runnable> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean offer(Runnable query) {
      return tryTransfer(query);
    }
  }

  /** All threads are busy; {@link #submit} bounds how many queries wait. */
  private static void waitForThread(Runnable query, ThreadPoolExecutor pool) {
    if (pool.isShutdown()) {
      throw new RejectedExecutionException("the server stops");
    }
    ((IdleFirst) pool.getQueue()).put(query);
  }

  /**
   * Begins a query.
   *
   * @return its identifier
   * @throws TApplicationException if too many results wait to be fetched
   */
  public synchronized String submit(Run query) throws TApplicationException {
    if (pending.size() >= options.maxAsyncQueries()) {
      throw new TApplicationException(
          TApplicationException.INTERNAL_ERROR,
          "there are "
              + options.maxAsyncQueries()
              + " asynchronous queries already: fetch the results of some");
    }
    String id = UUID.randomUUID().toString();
    Pending one = new Pending();
    pending.put(id, one);
    pool.execute(() -> run(one, query));
    return id;
  }

  /** The time comes before the report: a report without one would look long expired. */
  private static void run(Pending one, Run query) {
    try {
      QueryReport report = query.run(one.cancellation);
      one.endedAt = System.nanoTime();
      one.report.complete(report);
    } catch (TException | RuntimeException | Error e) {
      one.endedAt = System.nanoTime();
      one.report.completeExceptionally(e); // told to whoever fetches it
    }
  }

  /**
   * Asks a query to end; its report, which says so, can still be fetched, unless the client that
   * waited for it has gone.
   *
   * @throws InvalidQuery if there is no such query
   */
  public void cancel(String id) throws InvalidQuery {
    Pending one = find(id);
    one.cancellation.cancel();
    if (one.deserted) {
      pending.remove(id, one); // nobody will fetch the report
    }
  }

  /**
   * Waits for a query's end and forgets it.
   *
   * @throws InvalidQuery if there is no such query
   * @throws FailedQuery if it failed, or has not ended within the options' time
   */
  public QueryReport fetch(String id) throws TException {
    Pending one = find(id);
    QueryReport report = null;
    Throwable failure = null;
    try {
      report = await(id, one);
    } catch (TimeoutException e) {
      throw new FailedQuery(
          NOT_ENDED + options.asyncTimeoutS() + " s: fetch its result again later, or cancel it");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedQuery("the server stops");
    } catch (ExecutionException e) {
      failure = e.getCause();
    }
    if (!pending.remove(id, one)) {
      throw unknown(id);
    }
    if (failure != null) {
      throw reported(failure);
    }
    return report;
  }

  /** Waits no longer than somebody waits for this thread's answer. */
  private QueryReport await(String id, Pending one)
      throws InterruptedException, ExecutionException, TimeoutException, FailedQuery {
    Caller caller = Caller.current();
    one.deserted = false;
    for (int seconds = 1; ; seconds++) {
      try {
        return one.report.get(1, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        if (seconds >= options.asyncTimeoutS()) {
          throw e;
        }
        if (caller != null && caller.hasGone()) {
          one.deserted = true;
          if (one.cancellation.isCancelled()) {
            pending.remove(id, one); // whoever cancelled it has not seen that
          }
          throw new FailedQuery("its client has closed the connection");
        }
      }
    }
  }

  /** Whether a fetch failed only because the query still runs, so that another one may succeed. */
  public static boolean stillRuns(FailedQuery failure) {
    return failure.getReason() != null && failure.getReason().startsWith(NOT_ENDED);
  }

  private static TException reported(Throwable failure) {
    if (failure instanceof InvalidQuery || failure instanceof FailedQuery) {
      return (TException) failure;
    }
    String why = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    return new FailedQuery(why);
  }

  private Pending find(String id) throws InvalidQuery {
    Pending one = pending.get(id);
    if (one == null) {
      throw unknown(id);
    }
    return one;
  }

  private static InvalidQuery unknown(String id) {
    return new InvalidQuery(
        "there is no asynchronous query " + id + ", or its result was fetched or has expired");
  }

  /** Drops results that nobody fetched in time; to be called regularly. */
  public void expire() {
    long now = System.nanoTime();
    long most = TimeUnit.SECONDS.toNanos(options.asyncTimeoutS());
    pending.values().removeIf(one -> one.report.isDone() && now - one.endedAt > most);
  }

  /** Queries whose results were not fetched yet. */
  int size() {
    return pending.size();
  }

  /** Queries that run. */
  int running() {
    return pool.getActiveCount();
  }

  @Override
  public void close() {
    pending.values().forEach(one -> one.cancellation.cancel());
    pending
        .values()
        .forEach(one -> one.report.completeExceptionally(new FailedQuery("the server stops")));
    pool.shutdown();
    try {
      pool.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
