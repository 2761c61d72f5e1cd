package org.modelstress.harness.client;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.modelstress.harness.samples.OutcomeCode;
import org.modelstress.harness.samples.Sample;

/**
 * Looks after executions whose driver misses its deadline. A grace period after the deadline the
 * thread is interrupted; if it has not come back another grace period later, the execution is
 * recorded as a timeout, and the thread is given up and replaced.
 */
final class Watchdog implements Runnable {
  /** Why an execution that was ended from here is a timeout. */
  static final String REASON = "no answer within %d ms; ended by the harness";

  private static final long TICK_MILLIS = 50;

  private final Setup setup;
  private final Supplier<Worker[]> workers;
  private final Consumer<Worker> replace;
  private volatile boolean stopped;

  /**
   * @param workers the present ones
   * @param replace starts another worker in the place of one that was given up
   */
  Watchdog(Setup setup, Supplier<Worker[]> workers, Consumer<Worker> replace) {
    this.setup = setup;
    this.workers = workers;
    this.replace = replace;
  }

  void stop() {
    stopped = true;
  }

  @Override
  public void run() {
    while (!stopped) {
      try {
        Thread.sleep(TICK_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
      for (Worker worker : workers.get()) {
        look(worker, System.nanoTime());
      }
    }
  }

  private void look(Worker worker, long nowNs) {
    Execution execution = worker.execution();
    long state = execution.state();
    switch (Execution.code(state)) {
      case Execution.RUNNING -> {
        long worked = nowNs - execution.sample.startNs - execution.sample.thinkNs;
        if (worked > setup.timeoutNs() + Setup.GRACE_NS) {
          execution.interrupt(state, worker.thread(), nowNs);
        }
      }
      case Execution.INTERRUPTED -> {
        if (nowNs - execution.interruptedNs() > Setup.GRACE_NS && execution.take(state)) {
          String reason = REASON.formatted(setup.options().timeoutMillis());
          giveUp(worker, nowNs, reason + ", its thread given up");
        }
      }
      default -> {}
    }
  }

  /**
   * Ends, for this reason, what a thread has under way, whatever its deadline.
   *
   * @return whether an execution is a timeout now; false when there was none, only the opening of a
   *     session, or it ended at this moment by itself
   */
  boolean end(Worker worker, String reason) {
    Execution execution = worker.execution();
    for (long state = execution.state(); Execution.begun(state); state = execution.state()) {
      if (execution.take(state)) {
        boolean measured = execution.slot != Execution.NO_SLOT;
        giveUp(worker, System.nanoTime(), reason);
        worker.thread().interrupt(); // nobody waits for it any more; it should not linger
        return measured;
      }
    }
    return false;
  }

  private void giveUp(Worker worker, long nowNs, String reason) {
    Execution execution = worker.execution();
    if (execution.slot == Execution.NO_SLOT) {
      setup.failures().add("(open)", OutcomeCode.TIMEOUT, reason);
    } else {
      recordInPlace(setup, execution, OutcomeCode.TIMEOUT, nowNs);
      setup
          .failures()
          .add(setup.plan().name(execution.sample.operation), OutcomeCode.TIMEOUT, reason);
      worker.stage().ended(execution.sample.phase, execution.ticket, nowNs, false, 0);
    }
    replace.accept(worker);
  }

  /** Records an execution that was taken from its thread, which may still hold its own sample. */
  static void recordInPlace(Setup setup, Execution taken, OutcomeCode outcome, long nowNs) {
    Sample sample = new Sample();
    sample.clearResult();
    sample.thread = taken.sample.thread;
    sample.sequence = taken.sample.sequence;
    sample.operation = taken.sample.operation;
    sample.phase = taken.sample.phase;
    sample.intendedStartNs = taken.sample.intendedStartNs;
    sample.startNs = taken.sample.startNs;
    sample.thinkNs = taken.takenThinkNs();
    sample.durationNs = Math.max(0, nowNs - sample.intendedStartNs - sample.thinkNs);
    sample.outcome = outcome;
    setup.recorder().record(taken.slot, sample);
  }
}
