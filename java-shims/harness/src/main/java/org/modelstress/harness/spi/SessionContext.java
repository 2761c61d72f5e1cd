package org.modelstress.harness.spi;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Whose a session is, and how it may pause within an execution. */
public final class SessionContext {
  /** Pauses the thread of a session. */
  @FunctionalInterface
  public interface Pause {
    /** Waits so many nanoseconds; what it takes is no latency. */
    void nanos(long nanos);
  }

  private final int client;
  private final int thread;
  private final long session;
  private final long seed;
  private final Options options;
  private final Pause pause;

  /**
   * A context.
   *
   * @param client number of the client process
   * @param thread number of the thread in it
   * @param session number of the session in the client process, from 0
   * @param seed of everything random in the session; another one for every session
   * @param options of the workload
   * @param pause how think times pass
   */
  public SessionContext(
      int client, int thread, long session, long seed, Options options, Pause pause) {
    this.client = client;
    this.thread = thread;
    this.session = session;
    this.seed = seed;
    this.options = options;
    this.pause = pause;
  }

  /** A context of a session that belongs to no client process. */
  public static SessionContext alone(Options options) {
    return new SessionContext(0, 0, 0, 0, options, SessionContext::sleep);
  }

  private static void sleep(long nanos) {
    long end = System.nanoTime() + nanos;
    long left;
    while ((left = end - System.nanoTime()) > 0 && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Number of the client process. */
  public int client() {
    return client;
  }

  /** Number of the thread in the client process. */
  public int thread() {
    return thread;
  }

  /** Number of the session in the client process, from 0. */
  public long session() {
    return session;
  }

  /** Seed of everything random in the session; the same study seed gives the same. */
  public long seed() {
    return seed;
  }

  /** Options of the workload. */
  public Options options() {
    return options;
  }

  /**
   * Pauses within an execution, as a person who thinks. The pause is no latency, counts against no
   * deadline, and nothing is under way meanwhile. By the session's own thread only.
   */
  public void think(long millis) {
    pause.nanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }
}
