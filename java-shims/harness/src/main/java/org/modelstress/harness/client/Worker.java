package org.modelstress.harness.client;

import java.util.concurrent.locks.LockSupport;
import org.modelstress.harness.samples.OutcomeCode;
import org.modelstress.harness.samples.Sample;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.DriverTimeoutException;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.SessionContext;

/** One thread of load. */
final class Worker implements Runnable {
  /** Where a worker gets its stages. */
  interface Stages {
    /** The stage after {@code last}, as soon as it exists; null at the end. */
    Stage after(Stage last) throws InterruptedException;

    /** The load cannot go on. */
    void fail(Throwable cause);
  }

  private static final int MOST_ATTEMPTS = 65_535;

  private final Options options;
  private final AddedWait addedWait;
  private final Setup setup;
  private final Stages stages;
  private final int number;
  private final Execution execution = new Execution();
  private final Thread thread;
  private final Stage resumed;
  private final long sessionsSeed;
  private final SessionContext.Pause pause = this::pause;
  private volatile Stage stage;
  private Driver.Session session;
  private Endpoints opened;
  private long position;
  private boolean paced;
  private boolean sessionFailed;

  /**
   * @param lost thread that was given up, in whose place this one goes on; or null
   */
  Worker(Setup setup, Stages stages, int number, Worker lost) {
    this.setup = setup;
    this.options = AddedWait.without(setup.options());
    this.addedWait = AddedWait.of(setup.options());
    this.stages = stages;
    this.number = number;
    this.sessionsSeed = setup.plan().sessionsSeed(number);
    this.resumed = lost == null ? null : lost.stage;
    this.stage = resumed;
    this.position = lost == null ? 0 : lost.position;
    this.thread = new Thread(this, "worker-" + number);
    thread.setDaemon(true); // a driver that ignores interrupts must not keep the process alive
  }

  Thread thread() {
    return thread;
  }

  int number() {
    return number;
  }

  Execution execution() {
    return execution;
  }

  /** The stage this thread is in, or was in last. */
  Stage stage() {
    return stage;
  }

  @Override
  public void run() {
    try {
      Stage next = resumed == null ? stages.after(null) : resumed;
      while (next != null) {
        if (stage != null && stage.measures() != next.measures()) {
          position = 0; // an order begins anew in the window
        }
        stage = next;
        if (number < next.plan().threads() && !takePart(next)) {
          break; // given up: somebody else goes on in this thread's place
        }
        next = stages.after(next);
      }
      closeSession();
    } catch (InterruptedException e) {
      // only at the end of the process
    } catch (RuntimeException | Error e) {
      stages.fail(e);
    }
  }

  private boolean takePart(Stage current) throws InterruptedException {
    paced = resumed == current; // all threads begin a stage at once
    if (setup.reuse() && session == null && resumed != current && !openAhead(current)) {
      return false;
    }
    current.arrive();
    current.awaitStart();
    while (!current.isOver()) {
      if (!execute(current)) {
        return false;
      }
    }
    current.leave();
    return true;
  }

  /** Opens the session before the stage begins; if it fails, the first execution tries again. */
  private boolean openAhead(Stage current) {
    execution.slot = Execution.NO_SLOT;
    execution.sample.clearResult();
    Start start = begin(current, false, 0);
    if (start != Start.GO) {
      return start == Start.OVER;
    }
    try {
      session = open();
    } catch (Throwable e) { // an Error, such as a missing class, is a failed open, too
      session = null;
    }
    if (execution.end() == Execution.End.LOST) {
      return false;
    }
    execution.recorded();
    return true;
  }

  /** One ticket. False when this thread must end. */
  private boolean execute(Stage current) {
    Sample sample = execution.sample;
    long ticket = current.draw();
    long slot = current.plan().firstSlot() + ticket;
    long sequence = current.plan().firstSequence() + ticket;
    sample.clearResult();
    sample.thread = number;
    sample.phase = current.phaseOf(ticket);
    sample.sequence = (int) sequence;
    sample.operation = setup.plan().indexOf(sample.phase, sequence, position);
    Operation operation = setup.plan().operation(sample.operation, sequence, slot);
    setup.recorder().claim(slot);
    execution.slot = slot;
    execution.ticket = ticket;
    boolean open = current.schedule() != null;
    if (!paced && !open) {
      pace(current, sample.operation);
    }
    if (open ? !awaitArrival(current, current.dueNs(ticket)) : current.isOver()) {
      return true; // nobody waits for this one any more
    }
    Start start = begin(current, open, ticket);
    if (start != Start.GO) {
      return start == Start.OVER;
    }
    position++;
    Outcome outcome = run(operation, sample, open);
    addedWait.after(sample.startNs + sample.thinkNs);
    long endNs = System.nanoTime();
    Execution.End end = execution.end();
    if (end == Execution.End.LOST) {
      return false;
    }
    sample.durationNs = endNs - sample.intendedStartNs - sample.thinkNs;
    long worked = endNs - sample.startNs - sample.thinkNs;
    boolean late = end == Execution.End.INTERRUPTED || worked > setup.timeoutNs() + Setup.GRACE_NS;
    judge(outcome, operation, sample, late, endNs);
    setup.recorder().record(slot, sample);
    execution.recorded();
    boolean counts =
        sample.outcome == OutcomeCode.OK && setup.plan().countsObjects(sample.operation);
    boolean answered = sample.outcome != OutcomeCode.TIMEOUT;
    if (current.rule() != null && (sample.outcome == OutcomeCode.OK || !answered)) {
      current.rule().add(sample.operation, sample.durationNs);
    }
    current.ended(sample.phase, ticket, endNs, answered, counts ? sample.items : 0);
    if (setup.plan().thinkNanos(sample.operation) > 0) {
      think(current, setup.plan().thinkNanos(sample.operation));
    }
    return true;
  }

  /** Waits a part of a stage's first think time, so that threads do not go in step. */
  private void pace(Stage current, int operation) {
    paced = true;
    long nanos = setup.plan().firstPauseNanos(operation, number);
    if (nanos > 0) {
      think(current, nanos);
    }
  }

  /** How {@link #begin} went. */
  private enum Start {
    GO,
    OVER,
    LOST
  }

  /**
   * Starts the clock, as soon as the load is not held. Whoever holds it first says so and then
   * looks for executions under way; here it is the other way round, so that none slips through.
   */
  private Start begin(Stage current, boolean open, long ticket) {
    Sample sample = execution.sample;
    boolean admits = current.admits() && execution.slot != Execution.NO_SLOT;
    while (setup.target().await(current)) {
      sample.startNs = System.nanoTime();
      sample.intendedStartNs = open ? current.dueNs(ticket) : sample.startNs;
      if (admits) { // before others can take the execution and count its end
        sample.phase = current.admit(sample.intendedStartNs);
      }
      if (!execution.begin()) {
        return Start.LOST;
      }
      if (!setup.target().held()) {
        return Start.GO;
      }
      if (!execution.retreat()) {
        return Start.LOST;
      }
      if (admits) {
        current.withdraw(sample.phase);
      }
    }
    return Start.OVER;
  }

  /** What is timed: open a session (unless reused), execute, close it. */
  private Outcome run(Operation operation, Sample sample, boolean open) {
    try {
      if (!setup.reuse()) {
        try (Driver.Session own = open()) {
          return own.execute(operation);
        }
      }
      if (session == null || sessionFailed || opened != setup.target().endpoints()) {
        closeSession();
        session = open();
        sample.startNs = System.nanoTime(); // reopening is not part of a reused session's time
        sample.intendedStartNs = open ? sample.intendedStartNs : sample.startNs;
        sample.thinkNs = 0; // nor are pauses in it
      }
      return session.execute(operation);
    } catch (DriverTimeoutException e) {
      return Outcome.failed(Outcome.Kind.TIMEOUT, Failures.sentence(e));
    } catch (Throwable e) { // whatever escapes a driver is an outcome, and the load goes on
      return Outcome.failed(Outcome.Kind.ERROR, Failures.sentence(e));
    }
  }

  private Driver.Session open() throws DriverException {
    Endpoints endpoints = setup.target().endpoints();
    long session = setup.sessions().getAndIncrement();
    long seed = OperationPlan.sessionSeed(sessionsSeed, session);
    SessionContext who =
        new SessionContext(setup.plan().client(), number, session, seed, options, pause);
    Driver.Session fresh = setup.driver().open(endpoints, who);
    if (fresh == null) {
      throw new IllegalStateException("the driver opened no session (null)");
    }
    opened = endpoints;
    sessionFailed = false;
    return fresh;
  }

  /** A pause that the driver asks for within an execution. */
  private void pause(long nanos) {
    if (nanos <= 0 || Thread.currentThread() != thread || !execution.pause()) {
      return;
    }
    long end = System.nanoTime() + nanos;
    long left;
    while ((left = end - System.nanoTime()) > 0
        && !stage.isOver()
        && Execution.code(execution.state()) == Execution.PAUSED) {
      LockSupport.parkNanos(left);
      if (Thread.currentThread().isInterrupted()) {
        break; // taken; or the driver has left the flag set, and thinks no longer
      }
    }
    execution.resume();
  }

  private void closeSession() {
    Driver.Session old = session;
    session = null;
    if (old != null) {
      try {
        old.close();
      } catch (RuntimeException e) {
        System.err.println("closing a session failed: " + Failures.sentence(e));
      }
    }
  }

  /** Fills the outcome in; the clock has stopped. */
  private void judge(
      Outcome outcome, Operation operation, Sample sample, boolean late, long endNs) {
    String reason;
    if (late) {
      sample.outcome = OutcomeCode.TIMEOUT;
      reason = Watchdog.REASON.formatted(setup.options().timeoutMillis());
    } else if (outcome == null || outcome.kind() == null || outcome.result() == null) {
      sample.outcome = OutcomeCode.ERROR;
      reason = "the driver returned no outcome (null)";
    } else {
      sample.outcome = OutcomeCode.of(outcome.kind());
      sample.items = outcome.items();
      sample.attempts = Math.max(1, Math.min(outcome.attempts(), MOST_ATTEMPTS));
      sample.bytesSent = outcome.bytesSent();
      sample.bytesReceived = outcome.bytesReceived();
      reason = Failures.attribute(outcome.detail());
    }
    if (sample.outcome == OutcomeCode.OK) {
      reason =
          setup.verifier().verify(outcome.result(), setup.plan().arity(sample.operation), sample);
      sample.outcome = reason == null ? OutcomeCode.OK : OutcomeCode.INCORRECT;
      sample.verifyNs = System.nanoTime() - endNs;
    }
    if (sample.outcome != OutcomeCode.OK) {
      sessionFailed = sample.outcome == OutcomeCode.ERROR || sample.outcome == OutcomeCode.TIMEOUT;
      setup.failures().add(operation.name(), sample.outcome, reason);
    }
  }

  /** Sleeps, then spins, until an execution is due; false when the stage is over before. */
  private static boolean awaitArrival(Stage current, long dueNs) {
    long spinNs = current.schedule().spinNs();
    long left;
    while ((left = dueNs - System.nanoTime()) > 0) {
      if (current.isOver()) {
        return false;
      }
      if (left > spinNs) {
        LockSupport.parkNanos(left - spinNs);
      } else {
        Thread.onSpinWait();
      }
    }
    return !current.isOver();
  }

  private static void think(Stage current, long nanos) {
    long end = System.nanoTime() + nanos;
    long left;
    while ((left = end - System.nanoTime()) > 0 && !current.isOver()) {
      LockSupport.parkNanos(left);
    }
  }
}
