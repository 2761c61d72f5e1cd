package org.modelstress.harness.client;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.modelstress.harness.samples.OutcomeCode;
import org.modelstress.harness.samples.Phase;
import org.modelstress.harness.spi.Endpoints;

/** Runs warm-up and measured window with a fixed pool of threads that share one queue. */
final class LoadGenerator implements Worker.Stages {
  /** Told how things go, by the thread that called {@link #warmUp} or {@link #measure}. */
  interface Listener {
    void progress(Progress progress);

    /**
     * The warm-up, or its slice, is over as far as this process goes; where it has a rule, its load
     * goes on.
     *
     * @param result of the whole warm-up up to now
     */
    void warmed(Result result, Verdict verdict);

    /** Whether the load of a warm-up may end. */
    boolean released();

    /** The last measured execution of a slice has ended, at this time of the monotonic clock. */
    void windowEnded(long clockNs);
  }

  /**
   * How things stand.
   *
   * @param done of what the phase is for, in its unit
   * @param unit executions, seconds or objects
   * @param answered executions of all phases so far that ended otherwise than by a timeout
   * @param underWay executions that the driver has in its hands now
   */
  record Progress(Phase phase, long done, long total, String unit, long answered, int underWay) {}

  /** What a part came to: executions and seconds, and the executions of its cooldown. */
  record Result(long executions, long cooldown, double seconds) {}

  /** Whether a warm-up became steady, and by how much the last look found latencies changed. */
  record Verdict(boolean steady, double change) {}

  /** The end of the process has begun elsewhere, or a thread met a failure (the cause). */
  static final class StoppedException extends Exception {
    private static final long serialVersionUID = 1L;

    StoppedException(Throwable cause) {
      super(cause);
    }
  }

  private static final long TICK_MILLIS = 250;

  /** A window begins so soon after the controller has asked for it. */
  private static final long SETTLING_MILLIS = 50;

  /** Executions of a warm-up that its rule remembers. */
  private static final int MOST_REMEMBERED = 1 << 20;

  /** An open loop begins a little later than its threads are released, for them to wake up. */
  private static final long LEAD_NS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Records that are laid out on disk before the window; beyond, the file grows ahead of it. */
  private static final long MOST_RESERVED = 1 << 21;

  private static final long RECORDING_DEADLINE_NS = TimeUnit.SECONDS.toNanos(2);

  private final Setup setup;
  private final Workload workload;
  private final Worker[] workers;
  private final Watchdog watchdog;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private Stage current;
  private volatile boolean stopped;
  private long slots;
  private long stages;
  private long warmUpSequence;
  private long measuredSequence;
  private int warmUps;
  private long warmedExecutions;
  private long warmedNs;
  private SteadyRule rule;
  private int slice;
  private long answered;
  private Settling settling;
  private final Object holding = new Object();

  LoadGenerator(Setup setup, Workload workload, int threads) {
    this.setup = setup;
    this.workload = workload;
    this.workers = new Worker[threads];
    this.watchdog = new Watchdog(setup, this::workers, this::replace);
    for (int i = 0; i < threads; i++) {
      workers[i] = new Worker(setup, this, i, null);
    }
  }

  /** Starts the threads; they wait for the first stage. */
  void start() {
    for (Worker worker : workers) {
      worker.thread().start();
    }
    Thread dog = new Thread(watchdog, "watchdog");
    dog.setDaemon(true);
    dog.start();
  }

  /**
   * The workload's warm-up, or the next slice of it: first half with few threads, then with all of
   * them; then, where it has a rule, until it is steady, and on until the listener releases it:
   * other clients may still be warming up, and what they measure is under the load of all. Over
   * slices, the rule goes on with what it has seen.
   */
  void warmUp(Listener listener) throws StoppedException, InterruptedException {
    Workload.WarmUp policy = workload.warmUp(warmUps++);
    long leastNs = (long) (policy.seconds() * 1e9);
    if (policy.executions() > 0 || leastNs > 0 || policy.steady() != null) {
      long begin = System.nanoTime();
      warmUp(policy, leastNs, begin, listener);
      warmedNs += System.nanoTime() - begin;
    }
    if (policy.steady() == null) {
      listener.warmed(new Result(warmedExecutions, 0, warmedNs * 1e-9), null);
    }
  }

  private void warmUp(Workload.WarmUp policy, long leastNs, long begin, Listener listener)
      throws StoppedException, InterruptedException {
    int few = Math.min(policy.threads(), workers.length);
    long half = few == workers.length ? 0 : policy.executions() / 2;
    long halfNs = few == workers.length ? 0 : leastNs / 2;
    long done = 0;
    if (half > 0 || halfNs > 0) {
      done = run(stage(Phase.WARMUP, few, Stage.Goal.executions(half, halfNs), null), listener);
      warmedExecutions += done;
    }
    // what the first half did beyond its share also counts
    long rest = Math.max(0, policy.executions() - done);
    Stage.Goal goal = Stage.Goal.executions(rest, leastNs - halfNs);
    if (policy.steady() != null) {
      rule = rule == null ? new SteadyRule(policy.steady().within(), MOST_REMEMBERED) : rule;
      long latest = begin + (long) (policy.steady().mostS() * 1e9);
      settling = new Settling(warmedExecutions, begin - warmedNs, latest);
    }
    warmedExecutions += run(stage(Phase.WARMUP, workers.length, goal, rule), listener);
  }

  /**
   * A warm-up with a rule, or its slice: what was done before its last stage, its latest end, and
   * when it would have begun without what lay between its slices.
   */
  private record Settling(long before, long beginNs, long latestNs) {}

  /** Says once that a warm-up is over, and ends it when it may end. */
  private void settle(Stage stage, Listener listener) {
    long now = System.nanoTime();
    if (settling != null) {
      boolean steady = stage.reached(now) && stage.rule().steady();
      if (steady || now - settling.latestNs >= 0) {
        long executions = settling.before + stage.endedExecutions();
        Result result = new Result(executions, 0, (now - settling.beginNs) * 1e-9);
        settling = null;
        listener.warmed(result, new Verdict(steady, stage.rule().change()));
      }
    }
    if (settling == null && listener.released()) {
      stage.finish(now);
    }
  }

  /** Slices of the warm-up that are still to come. */
  int warmUpsLeft() {
    return workload.slices() - warmUps;
  }

  /** Slices of the window that are still to be measured. */
  int slicesLeft() {
    return workload.slices() - slice;
  }

  /** The next slice of the measured window, and its cooldown. */
  Result measure(Listener listener) throws StoppedException, InterruptedException {
    Stage.Goal goal = workload.goal(workers.length, slice++);
    long expected = goal.counted() ? goal.executions() + workers.length : MOST_RESERVED;
    setup.recorder().reserve(slots + Math.min(expected, MOST_RESERVED));
    Stage stage = stage(Phase.MEASURE, workers.length, goal, null);
    long done = run(stage, listener);
    measuredSequence += stage.drawn();
    return new Result(
        done, stage.cooldownExecutions(), (stage.windowEndNs() - stage.beginNs()) * 1e-9);
  }

  private Stage stage(Phase phase, int threads, Stage.Goal asked, SteadyRule rule) {
    long sequence = phase == Phase.WARMUP ? warmUpSequence : measuredSequence;
    // not the slots: how many a warm-up took differs, and the same seed means the same arrivals
    long seed = OperationPlan.seed(workload) ^ (stages++ << 8) ^ phase.ordinal();
    Schedule schedule = Schedule.of(workload, seed);
    Stage.Plan plan = new Stage.Plan(phase, threads, asked.dueBy(schedule), slots, sequence);
    return new Stage(plan, schedule, rule, this::wakeAll);
  }

  private long run(Stage stage, Listener listener) throws StoppedException, InterruptedException {
    synchronized (this) {
      current = stage;
      notifyAll();
    }
    // a thread whose open hangs has been given up by then, and the stage begins without its session
    stage.awaitArrivals(setup.options().timeoutMillis() + 4 * Setup.GRACE_MILLIS);
    stage.begin(stage.schedule() == null ? 0 : LEAD_NS);
    while (!stage.awaitWindow(stage.rule() == null ? TICK_MILLIS : SETTLING_MILLIS)) {
      tick(stage, listener);
      if (stage.rule() != null) {
        settle(stage, listener);
      }
    }
    checkStopped();
    if (stage.measures()) {
      listener.windowEnded(stage.windowEndNs());
    }
    while (!stage.awaitDepartures(TICK_MILLIS)) {
      tick(stage, listener);
    }
    tick(stage, listener);
    slots += stage.drawn();
    if (!stage.measures()) {
      warmUpSequence += stage.drawn();
    }
    answered += stage.answeredExecutions();
    return stage.endedExecutions();
  }

  private void tick(Stage stage, Listener listener) throws StoppedException {
    checkStopped();
    setup.recorder().tick();
    long done = stage.done(System.nanoTime());
    int underWay = 0;
    for (Worker worker : workers()) {
      underWay += Execution.underWay(worker.execution().state()) ? 1 : 0;
    }
    listener.progress(
        new Progress(
            stage.plan().phase(),
            done,
            Math.max(done, stage.total()),
            stage.plan().goal().unit(),
            answered + stage.answeredExecutions(),
            underWay));
  }

  /**
   * The server hangs: ends all that is under way as timeouts for this reason and begins nothing
   * more until {@link #resume}. Arrivals of an open loop go on meanwhile.
   *
   * @return how many executions it ended
   */
  int hold(String reason) {
    int timeouts = 0;
    synchronized (holding) { // the file must not be closed meanwhile
      if (!stopped) {
        setup.target().hold();
        for (Worker worker : workers()) {
          timeouts += watchdog.end(worker, reason) ? 1 : 0;
        }
      }
    }
    return timeouts;
  }

  /**
   * Goes on, with the nodes at the addresses that they have now; sessions are opened anew.
   *
   * @param restarted what addresses become of those up to now
   * @throws IllegalArgumentException when it names a node that there is not
   */
  void resume(UnaryOperator<Endpoints> restarted) {
    setup.target().release(restarted);
    wakeAll();
  }

  private void checkStopped() throws StoppedException {
    if (stopped || failure.get() != null) {
      throw new StoppedException(failure.get());
    }
  }

  @Override
  public synchronized Stage after(Stage last) throws InterruptedException {
    while (current == last && !stopped) {
      wait();
    }
    return stopped ? null : current;
  }

  @Override
  public void fail(Throwable cause) {
    failure.compareAndSet(null, cause);
    Stage stage;
    synchronized (this) {
      stage = current;
    }
    if (stage != null) {
      stage.finish(System.nanoTime());
    }
  }

  private synchronized Worker[] workers() {
    return workers.clone();
  }

  private synchronized void replace(Worker lost) {
    if (!stopped) {
      Worker worker = new Worker(setup, this, lost.number(), lost);
      workers[lost.number()] = worker;
      worker.thread().start();
    }
  }

  private void wakeAll() {
    for (Worker worker : workers()) {
      LockSupport.unpark(worker.thread());
    }
  }

  /** Ends between stages: sessions are closed, in {@code millis} at most, then the file. */
  void close(long millis) throws IOException, InterruptedException {
    Stage stage = stop();
    if (stage != null) {
      stage.finish(System.nanoTime());
    }
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    for (Worker worker : workers()) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      worker.thread().join(Math.max(left, 1));
    }
    setup.recorder().close(slots);
  }

  /**
   * Ends in the middle: executions under way are recorded as unfinished and the file is closed.
   * Their threads go on until the process ends, but can record nothing any more.
   */
  void abort() throws IOException {
    Stage stage = stop();
    long deadline = System.nanoTime() + RECORDING_DEADLINE_NS;
    boolean allDone = true;
    synchronized (holding) {
      for (Worker worker : workers()) {
        allDone &= abort(worker.execution(), deadline);
      }
    }
    if (stage != null) {
      stage.finish(System.nanoTime()); // earlier it would end pauses, whose executions then end
    }
    long drawn = stage == null ? 0 : stage.plan().firstSlot() + stage.drawn();
    // whoever is still recording writes into the mapping: then the file must not be cut
    setup.recorder().close(allDone ? drawn : Long.MAX_VALUE);
  }

  /** No stage comes after the present one, which is returned. */
  private Stage stop() {
    watchdog.stop();
    synchronized (this) {
      stopped = true;
      notifyAll();
      return current;
    }
  }

  private boolean abort(Execution execution, long deadline) {
    while (true) {
      long state = execution.state();
      switch (Execution.code(state)) {
        case Execution.LOST -> {
          return true;
        }
        case Execution.RECORDING -> {
          if (System.nanoTime() - deadline > 0) {
            return false;
          }
          Thread.onSpinWait();
        }
        case Execution.IDLE -> {
          if (execution.take(state)) {
            return true;
          }
        }
        default -> {
          if (execution.take(state)) {
            if (execution.slot != Execution.NO_SLOT) {
              Watchdog.recordInPlace(setup, execution, OutcomeCode.UNFINISHED, System.nanoTime());
            }
            return true;
          }
        }
      }
    }
  }
}
