package org.modelstress.hawk.index;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.modelstress.hawk.index.LiveIndex.State;

/**
 * Lets any number of queries in at once, or one update. An update waits for its turn, and meanwhile
 * queries still come in: while one of them takes long, all others are answered. Once all under way
 * are young, those that come wait a moment for them to end.
 */
final class Gate {
  private static final String ANSWERS = "The index answers.";
  private static final long YOUNG_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** So long queries that come in wait at most, and before that are let in. */
  private static final long DRAIN_MS = 2_000;

  private static final long LET_IN_MS = 5_000;
  private static final long LOOK_MS = 100;

  /** A query under way. */
  static final class Visit {
    private final long begun = System.nanoTime();
  }

  private State state = State.RUNNING;
  private String message = ANSWERS;
  private boolean stopWanted;
  private boolean broken;
  private boolean waitsForTurn;
  private boolean draining;

  /** The oldest first. */
  private final Set<Visit> inside = new LinkedHashSet<>();

  synchronized State state() {
    return state;
  }

  synchronized String message() {
    return message;
  }

  /** A query comes in; what is returned is to be handed to {@link #leave}. */
  synchronized Visit enter() throws NotRunningException {
    await(() -> !draining, DRAIN_MS);
    if (state != State.RUNNING && !(waitsForTurn && !stopWanted)) {
      throw new NotRunningException(message);
    }
    Visit visit = new Visit();
    inside.add(visit);
    return visit;
  }

  /** A query that came in has ended. */
  synchronized void leave(Visit visit) {
    inside.remove(visit);
    notifyAll();
  }

  /**
   * An update begins; when no query is under way, none comes in any more.
   *
   * @param what it does, in the message that queries get
   */
  synchronized void beginUpdate(String what) throws NotRunningException {
    if (state != State.RUNNING) {
      throw new NotRunningException(message);
    }
    state = State.UPDATING;
    waitsForTurn = !inside.isEmpty();
    message = "The index is updating (" + what + "); ask again when it is done.";
  }

  /** Waits for the queries under way; says whether they ended in time. */
  synchronized boolean awaitQueries(long timeoutMillis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    while (!inside.isEmpty() && end - System.nanoTime() > 0 && !isInterrupted()) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (!await(inside::isEmpty, Math.min(left, untilYoung())) && untilYoung() == 0) {
        draining = true;
        await(inside::isEmpty, DRAIN_MS);
        draining = false;
        notifyAll();
        await(inside::isEmpty, inside.isEmpty() ? 0 : Math.min(left, LET_IN_MS));
      }
    }
    waitsForTurn = waitsForTurn && !inside.isEmpty();
    return inside.isEmpty();
  }

  private static boolean isInterrupted() {
    return Thread.currentThread().isInterrupted();
  }

  /** A time after which to look whether all queries under way are young; 0 if they are, ms. */
  private long untilYoung() {
    boolean young =
        inside.isEmpty() || System.nanoTime() - inside.iterator().next().begun < YOUNG_NANOS;
    return young ? 0 : LOOK_MS;
  }

  /** An update has ended. */
  synchronized void endUpdate(String outcome) {
    waitsForTurn = false;
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
    boolean ended = await(() -> inside.isEmpty() && state == State.STOPPED, timeoutMillis);
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
