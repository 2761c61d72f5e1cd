package org.modelstress.cdo.driver;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Interrupts the thread that made it when time is up or the connection is lost, and again until
 * that thread has come back: Net4j waits in places that one interrupt alone does not end. After
 * {@link #close} it never interrupts again and its own interrupts are gone.
 */
final class Deadline implements AutoCloseable {
  /** Pause between interrupts; long enough for a cancel signal to be sent in between. */
  private static final long AGAIN_MS = 250;

  /** Why the thread was interrupted. */
  enum Cause {
    TIME,
    CONNECTION
  }

  private final Thread thread = Thread.currentThread();
  private final ScheduledExecutorService watch;
  private final ScheduledFuture<?> timer;
  private ScheduledFuture<?> repeater;
  private Cause cause;
  private boolean closed;

  Deadline(ScheduledExecutorService watch, long millis) {
    this.watch = watch;
    this.timer = watch.schedule(() -> fire(Cause.TIME), millis, TimeUnit.MILLISECONDS);
  }

  /** Ends the thread's waiting now. */
  synchronized void fire(Cause why) {
    if (closed || cause != null) {
      return;
    }
    cause = why;
    thread.interrupt();
    repeater =
        watch.scheduleWithFixedDelay(this::interrupt, AGAIN_MS, AGAIN_MS, TimeUnit.MILLISECONDS);
  }

  private synchronized void interrupt() {
    if (!closed) {
      thread.interrupt();
    }
  }

  /** Why the thread was interrupted, or null if it was not. */
  synchronized Cause cause() {
    return cause;
  }

  @Override
  public synchronized void close() {
    closed = true;
    timer.cancel(false);
    if (repeater != null) {
      repeater.cancel(false);
      Thread.interrupted();
    }
  }
}
