package org.modelstress.hawk.index;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.modelstress.hawk.index.LiveIndex.State;

/** Lets any number of queries in at once, or one update. */
final class Gate {
  private static final String ANSWERS = "The index answers.";

  private State state = State.RUNNING;
  private String message = ANSWERS;
  private boolean stopWanted;
  private boolean broken;
  private int inside;

  synchronized State state() {
    return state;
  }

  synchronized String message() {
    return message;
  }

  /** A query comes in. */
  synchronized void enter() throws NotRunningException {
    if (state != State.RUNNING) {
      throw new NotRunningException(message);
    }
    inside++;
  }

  /** A query that came in has ended. */
  synchronized void leave() {
    inside--;
    notifyAll();
  }

  /**
   * An update begins: no more queries come in.
   *
   * @param what it does, in the message that queries get
   */
  synchronized void beginUpdate(String what) throws NotRunningException {
    if (state != State.RUNNING) {
      throw new NotRunningException(message);
    }
    state = State.UPDATING;
    message = "The index is updating (" + what + "); ask again when it is done.";
  }

  /** Waits for the queries under way; says whether they ended in time. */
  synchronized boolean awaitQueries(long timeoutMillis) {
    return await(() -> inside == 0, timeoutMillis);
  }

  /** An update has ended. */
  synchronized void endUpdate(String outcome) {
    state = stopWanted || broken ? State.STOPPED : State.RUNNING;
    message = outcome;
    notifyAll();
  }

  /** An update failed half way: the index never answers again. */
  synchronized void breakDown(String why) {
    broken = true;
    endUpdate(why);
  }

  /** Lets no more queries in, and no update after one under way; says whether all ended in time. */
  synchronized boolean stop(String why, long timeoutMillis) {
    stopWanted = true;
    if (state == State.RUNNING) {
      endUpdate(why);
    }
    boolean ended = await(() -> inside == 0 && state == State.STOPPED, timeoutMillis);
    if (!broken && ended) {
      message = why;
    }
    return ended;
  }

  /** Lets queries in again after {@link #stop}, unless an update failed half way. */
  synchronized void start() {
    if (stopWanted && !broken) {
      stopWanted = false;
      if (state == State.STOPPED) {
        endUpdate(ANSWERS);
      }
    }
  }

  private boolean await(BooleanSupplier condition, long timeoutMillis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    try {
      while (!condition.getAsBoolean() && end - System.nanoTime() > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, end - System.nanoTime());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return condition.getAsBoolean();
  }
}
