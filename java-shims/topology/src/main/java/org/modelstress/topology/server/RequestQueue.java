package org.modelstress.topology.server;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.modelstress.topology.connection.RequestHandler;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Request;

/**
 * Requests of a server's clients that wait for a worker, and the workers (Free Data Objects, 6.8).
 * A request that finds the queue full is turned away, so that another member of a mesh, or the
 * client, hears of it at once.
 */
public final class RequestQueue implements RequestHandler, AutoCloseable {
  private static final long ENDING_MILLIS = 2_000;

  private final ObjectManager manager;
  private final long timeoutMillis;
  private final ThreadPoolExecutor workers;

  /**
   * Starts the workers.
   *
   * @param manager that answers
   * @param count of the workers
   * @param waiting requests that wait at most
   * @param timeoutMillis of one request
   */
  public RequestQueue(ObjectManager manager, int count, int waiting, long timeoutMillis) {
    this.manager = manager;
    this.timeoutMillis = timeoutMillis;
    AtomicInteger number = new AtomicInteger();
    workers =
        new ThreadPoolExecutor(
            count,
            count,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(waiting),
            task -> new Thread(task, "worker-" + number.incrementAndGet()));
  }

  @Override
  public void handle(Request request, Consumer<Reply> reply) {
    try {
      workers.execute(() -> reply.accept(answer(request)));
    } catch (RejectedExecutionException e) {
      reply.accept(new Reply.Failed(true, "the server has no room for another request"));
    }
  }

  private Reply answer(Request request) {
    try {
      return manager.answer(request, timeoutMillis);
    } catch (RuntimeException e) {
      System.err.println("a request failed: " + e);
      return new Reply.Failed(false, "the server failed: " + e);
    }
  }

  @Override
  public void close() {
    workers.shutdown();
    try {
      if (!workers.awaitTermination(ENDING_MILLIS, TimeUnit.MILLISECONDS)) {
        workers.shutdownNow();
      }
    } catch (InterruptedException e) {
      workers.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
