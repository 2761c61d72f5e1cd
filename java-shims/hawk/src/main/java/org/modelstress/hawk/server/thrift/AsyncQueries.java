package org.modelstress.hawk.server.thrift;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.hawk.api.InvalidQuery;
import org.modelstress.hawk.api.QueryReport;
import org.modelstress.hawk.query.Cancellation;

/** Queries that run while their client does something else; each result is fetched once. */
final class AsyncQueries implements AutoCloseable {
  private static final long IDLE_THREAD_S = 60;

  /** What runs a query. */
  @FunctionalInterface
  interface Run {
    QueryReport run(Cancellation cancellation) throws TException;
  }

  private static final class Pending {
    final Cancellation cancellation = new Cancellation();
    final CompletableFuture<QueryReport> report = new CompletableFuture<>();
    volatile long endedAt;
  }

  private final ApiOptions options;
  private final ThreadPoolExecutor pool;
  private final Map<String, Pending> pending = new ConcurrentHashMap<>();

  AsyncQueries(ApiOptions options) {
    this.options = options;
    pool =
        new ThreadPoolExecutor(
            options.maxThreads(),
            options.maxThreads(),
            IDLE_THREAD_S,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(options.maxAsyncQueries()),
            task -> new Thread(task, "hawk-async-query"));
    pool.allowCoreThreadTimeOut(true);
  }

  /**
   * Begins a query.
   *
   * @return its identifier
   * @throws TApplicationException if too many results wait to be fetched
   */
  synchronized String submit(Run query) throws TApplicationException {
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

  private static void run(Pending one, Run query) {
    try {
      one.report.complete(query.run(one.cancellation));
    } catch (TException | RuntimeException | Error e) {
      one.report.completeExceptionally(e); // told to whoever fetches it
    } finally {
      one.endedAt = System.nanoTime();
    }
  }

  /** Asks a query to end; its report, which says so, can still be fetched. */
  void cancel(String id) throws InvalidQuery {
    find(id).cancellation.cancel();
  }

  /** Waits for a query's end and forgets it. */
  QueryReport fetch(String id) throws TException {
    Pending one = find(id);
    QueryReport report = null;
    Throwable failure = null;
    try {
      report = one.report.get(options.asyncTimeoutS(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new FailedQuery(
          "the query has not ended within "
              + options.asyncTimeoutS()
              + " s: fetch its result again later, or cancel it");
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
  void expire() {
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
