package org.modelstress.harness.client;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.modelstress.harness.samples.Sample;

/**
 * The execution that a thread has under way, and who may record it: exactly one of the thread
 * itself, the watchdog (timeout) and the end of the process (abort). A state carries the number of
 * its execution, so that nobody interrupts the one after the one he looked at.
 */
final class Execution {
  /** Slot of a session that is opened ahead of any execution. */
  static final long NO_SLOT = -1;

  /** Between executions. */
  static final int IDLE = 0;

  /** In the driver's hands. */
  static final int RUNNING = 1;

  /** In the driver's hands, too late and interrupted. */
  static final int INTERRUPTED = 2;

  /** Over; its thread is verifying and recording it. */
  static final int RECORDING = 3;

  /** Somebody else recorded it; its thread must end and touch nothing. */
  static final int LOST = 4;

  /** In the driver's hands, in a pause that is no latency. */
  static final int PAUSED = 5;

  private static final int BITS = 3;
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Execution.class, "state", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Filled in before {@link #begin}; its thread's alone again after {@link #end}. */
  final Sample sample = new Sample();

  long slot;
  long ticket;

  @SuppressWarnings("unused") // through STATE
  private volatile long state;

  private long number;
  private long interruptedNs;
  private long pausedSinceNs;
  private long takenPauseNs;

  // keeps the states of neighbouring threads on different cache lines
  @SuppressWarnings("unused")
  private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;

  /**
   * The clock is about to start. By the execution's thread.
   *
   * @return false when the thread must end
   */
  boolean begin() {
    long idle = number << BITS | IDLE;
    number++;
    return STATE.compareAndSet(this, idle, number << BITS | RUNNING);
  }

  /**
   * Takes {@link #begin} back, before the driver was called. By the execution's thread.
   *
   * @return false when somebody else has taken the execution
   */
  boolean retreat() {
    return STATE.compareAndSet(this, number << BITS | RUNNING, number << BITS | IDLE);
  }

  /**
   * A pause begins, in which nothing is under way and no deadline comes nearer. By the execution's
   * thread.
   *
   * @return false when there is to be none: the execution is late, or somebody else's
   */
  boolean pause() {
    pausedSinceNs = System.nanoTime(); // before the state, whose readers look at it
    return STATE.compareAndSet(this, number << BITS | RUNNING, number << BITS | PAUSED);
  }

  /**
   * A pause is over; nothing happens when somebody has taken the execution, and with it the pause.
   */
  synchronized void resume() {
    if (state() == (number << BITS | PAUSED)) {
      sample.thinkNs += System.nanoTime() - pausedSinceNs; // before the state, as above
      STATE.setRelease(this, number << BITS | RUNNING);
    }
  }

  /** How {@link #end} found things. */
  enum End {
    IN_TIME,
    INTERRUPTED,
    LOST
  }

  /** The clock has stopped. By the execution's thread. */
  End end() {
    if (STATE.compareAndSet(this, number << BITS | RUNNING, number << BITS | RECORDING)) {
      return End.IN_TIME;
    }
    synchronized (this) { // the interrupt has been delivered once we are in here
      if (STATE.compareAndSet(this, number << BITS | INTERRUPTED, number << BITS | RECORDING)) {
        Thread.interrupted();
        return End.INTERRUPTED;
      }
      return End.LOST;
    }
  }

  /** The sample is recorded. By the execution's thread. */
  void recorded() {
    Thread.interrupted(); // a driver may have left the flag set; it must not reach the next one
    STATE.setRelease(this, number << BITS | IDLE);
  }

  /** The present state, for the calls below. */
  long state() {
    return (long) STATE.getAcquire(this);
  }

  static int code(long state) {
    return (int) state & (1 << BITS) - 1;
  }

  /** Whether a driver that was called has not come back yet, pauses included. */
  static boolean begun(long state) {
    return underWay(state) || code(state) == PAUSED;
  }

  /** Whether the driver has an execution, or the opening of a session, in its hands. */
  static boolean underWay(long state) {
    return code(state) == RUNNING || code(state) == INTERRUPTED;
  }

  /** Interrupts the thread if it is still in this state. */
  synchronized void interrupt(long running, Thread thread, long nowNs) {
    if (STATE.compareAndSet(this, running, running - RUNNING + INTERRUPTED)) {
      interruptedNs = nowNs;
      thread.interrupt();
    }
  }

  synchronized long interruptedNs() {
    return interruptedNs;
  }

  /** Takes the execution from its thread; the caller records it if this succeeds. */
  synchronized boolean take(long seen) {
    if (!STATE.compareAndSet(this, seen, seen - code(seen) + LOST)) {
      return false;
    }
    takenPauseNs = code(seen) == PAUSED ? System.nanoTime() - pausedSinceNs : 0;
    return true;
  }

  /** Pauses of an execution that was taken, the one included that it was taken from. */
  synchronized long takenThinkNs() {
    return sample.thinkNs + takenPauseNs;
  }
}
