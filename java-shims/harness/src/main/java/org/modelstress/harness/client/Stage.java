package org.modelstress.harness.client;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.modelstress.harness.samples.Phase;

/**
 * A stretch of load with one shared ticket counter and one beginning: half a warm-up, or the
 * measured window with its cooldown. Tickets number the executions in the order in which they
 * start.
 */
final class Stage {
  /** What the stage is for and when it is over. */
  record Plan(Phase phase, int threads, Goal goal, long firstSlot, long firstSequence) {}

  /**
   * When a stage is over.
   *
   * @param executions so many; a warm-up takes at least so many. -1: otherwise
   * @param ns a warm-up takes at least so long; of a window, what begins within is measured
   * @param objects a window ends when so many were counted; -1: otherwise
   * @param unit what progress is counted in: executions, seconds or objects
   * @param least of a window in time, so many begin, or it lasts longer
   * @param mostNs but no longer than so many nanoseconds
   */
  record Goal(long executions, long ns, long objects, String unit, long least, long mostNs) {
    private static final String SECONDS = "seconds";

    static Goal executions(long executions, long leastNs) {
      return new Goal(executions, leastNs, -1, "executions", 0, leastNs);
    }

    static Goal seconds(double seconds, long least, double most) {
      return new Goal(-1, (long) (seconds * 1e9), -1, SECONDS, least, (long) (most * 1e9));
    }

    static Goal objects(long objects) {
      return new Goal(-1, 0, objects, "objects", 0, 0);
    }

    /** In an open loop, what is due in a window's time is measured, whenever it begins. */
    Goal dueBy(Schedule schedule) {
      if (!timed() || schedule == null) {
        return this;
      }
      long due = Math.max(schedule.dueBefore(ns), Math.min(least, schedule.dueBefore(mostNs)));
      return new Goal(due, ns, -1, unit, 0, mostNs);
    }

    /** Whether a window lasts so long at least. */
    boolean timed() {
      return unit.equals(SECONDS);
    }

    /** Whether tickets alone say what is measured. */
    boolean counted() {
      return executions >= 0;
    }
  }

  private static final long SECOND_NS = 1_000_000_000L;

  private final Plan plan;
  private final Schedule schedule;
  private final AtomicLong tickets = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();
  private final AtomicLong timeouts = new AtomicLong();
  private final AtomicLong cooldown = new AtomicLong();
  private final AtomicLong lastEndNs = new AtomicLong(Long.MIN_VALUE);
  private final AtomicLong objects = new AtomicLong();
  private final AtomicLong underWay = new AtomicLong();
  private final AtomicLong begun = new AtomicLong();
  private final CountDownLatch arrivals;
  private final CountDownLatch start = new CountDownLatch(1);
  private final CountDownLatch window = new CountDownLatch(1);
  private final CountDownLatch departures;
  private final Runnable whenOver;
  private final SteadyRule rule;
  private volatile long beginNs;
  private volatile long windowEndNs;
  private volatile boolean over;

  /**
   * @param schedule of the open loop, null in a closed loop
   * @param rule of a warm-up that is not over by itself; null otherwise
   * @param whenOver wakes threads that sleep until an arrival or through a think time
   */
  Stage(Plan plan, Schedule schedule, SteadyRule rule, Runnable whenOver) {
    this.plan = plan;
    this.schedule = schedule;
    this.rule = rule;
    this.whenOver = whenOver;
    this.arrivals = new CountDownLatch(plan.threads());
    this.departures = new CountDownLatch(plan.threads());
  }

  Plan plan() {
    return plan;
  }

  Schedule schedule() {
    return schedule;
  }

  /** The next ticket, from 0. */
  long draw() {
    return tickets.getAndIncrement();
  }

  /** How many tickets were given out. */
  long drawn() {
    return tickets.get();
  }

  boolean measures() {
    return plan.phase() == Phase.MEASURE;
  }

  /**
   * The window rule as far as the ticket tells: the first {@code executions} tickets are measured,
   * later ones cool down. In other windows {@link #admit} has the last word.
   */
  Phase phaseOf(long ticket) {
    boolean late = plan.goal().counted() && ticket >= plan.goal().executions();
    return measures() && late ? Phase.COOLDOWN : plan.phase();
  }

  /** Whether tickets do not tell what is measured. */
  boolean admits() {
    return measures() && !plan.goal().counted();
  }

  /**
   * The window rule for an execution whose clock has started, where tickets do not tell: it is
   * measured when it begins in time, or before all objects are there.
   */
  Phase admit(long startNs) {
    underWay.incrementAndGet(); // before the look: the window must not end in between
    if (over || allBegun(startNs)) {
      underWay.decrementAndGet();
      return Phase.COOLDOWN;
    }
    begun.incrementAndGet();
    return Phase.MEASURE;
  }

  /** Takes {@link #admit} back. */
  void withdraw(Phase admitted) {
    if (admitted == Phase.MEASURE) {
      begun.decrementAndGet();
      underWay.decrementAndGet();
    }
  }

  /** Whether, tickets aside, no further execution will be measured. */
  private boolean allBegun(long nowNs) {
    Goal goal = plan.goal();
    if (goal.objects() >= 0) {
      return objects.get() >= goal.objects();
    }
    long elapsed = nowNs - beginNs;
    return elapsed >= goal.ns() && (begun.get() >= goal.least() || elapsed >= goal.mostNs());
  }

  /** Ends a window whose time has passed, when all that it measures has ended. */
  void look(long nowNs) {
    Goal goal = plan.goal();
    boolean idle = goal.counted() ? ended.get() >= goal.executions() : underWay.get() == 0;
    if (measures() && idle && allBegun(nowNs)) {
      finish(Math.max(lastEndNs.get(), beginNs + plan.goal().ns()));
    }
  }

  /** When the execution with this ticket is due; open loop only. */
  long dueNs(long ticket) {
    return beginNs + schedule.offsetNs(ticket);
  }

  /** Whether no further execution should start. */
  boolean isOver() {
    return over;
  }

  /**
   * An execution has ended and is recorded.
   *
   * @param answered unless by a timeout
   * @param found objects that it counted
   */
  void ended(Phase phase, long ticket, long endNs, boolean answered, int found) {
    if (!answered) {
      timeouts.incrementAndGet();
    }
    long executions = plan.goal().executions();
    if (!measures()) {
      ended.incrementAndGet();
      if (rule == null && reached(endNs)) {
        finish(endNs);
      }
    } else if (phase == Phase.COOLDOWN) {
      cooldown.incrementAndGet();
    } else if (!plan.goal().counted()) {
      ended.incrementAndGet();
      objects.addAndGet(found);
      lastEndNs.accumulateAndGet(endNs, Math::max);
      underWay.decrementAndGet();
      look(endNs);
    } else {
      // the one who ended last need not be the one who is counted last, but then it is among the
      // last few: at most one per thread is counted after it
      if (ended.get() >= executions - 2L * plan.threads()) {
        lastEndNs.accumulateAndGet(endNs, Math::max);
      }
      if (ended.incrementAndGet() >= executions) {
        look(endNs);
      }
    }
  }

  /** Whether a warm-up has its least executions and seconds. */
  boolean reached(long nowNs) {
    return ended.get() >= plan.goal().executions() && nowNs - beginNs >= plan.goal().ns();
  }

  /** The rule of a warm-up that is not over by itself; null otherwise. */
  SteadyRule rule() {
    return rule;
  }

  /** Ends the stage, whatever is still to do. */
  synchronized void finish(long endNs) {
    if (!over) {
      windowEndNs = endNs;
      over = true;
      window.countDown();
      whenOver.run();
    }
  }

  /** Executions that have ended, without cooldown. */
  long endedExecutions() {
    return ended.get();
  }

  /** What is done of the goal, in its unit. */
  long done(long nowNs) {
    if (plan.goal().timed()) {
      return Math.min(total(), Math.max(0, nowNs - beginNs) / SECOND_NS);
    }
    return plan.goal().objects() >= 0 ? objects.get() : ended.get();
  }

  /** What there is to do, in the goal's unit. */
  long total() {
    Goal goal = plan.goal();
    if (goal.timed()) {
      return (goal.ns() + SECOND_NS - 1) / SECOND_NS;
    }
    return goal.objects() >= 0 ? goal.objects() : goal.executions();
  }

  long cooldownExecutions() {
    return cooldown.get();
  }

  /** Executions that ended otherwise than by a timeout, cooldown included. */
  long answeredExecutions() {
    return ended.get() + cooldown.get() - timeouts.get();
  }

  long windowEndNs() {
    return windowEndNs;
  }

  long beginNs() {
    return beginNs;
  }

  /** A thread is ready, its session open. */
  void arrive() {
    arrivals.countDown();
  }

  void awaitStart() throws InterruptedException {
    start.await();
  }

  /** A thread has no more to do here. */
  void leave() {
    departures.countDown();
  }

  boolean awaitArrivals(long millis) throws InterruptedException {
    return arrivals.await(millis, TimeUnit.MILLISECONDS);
  }

  /** Lets all threads go; the first arrival of an open loop is due {@code leadNs} later. */
  void begin(long leadNs) {
    beginNs = System.nanoTime() + leadNs;
    start.countDown();
  }

  /** Waits so long at most, but not beyond the end of a window's time. */
  boolean awaitWindow(long millis) throws InterruptedException {
    long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    if (plan.goal().timed()) {
      long left = beginNs + plan.goal().ns() - System.nanoTime();
      nanos = left > 0 ? Math.min(left, nanos) : nanos;
    }
    boolean ended = window.await(nanos, TimeUnit.NANOSECONDS);
    look(System.nanoTime());
    return ended || over;
  }

  boolean awaitDepartures(long millis) throws InterruptedException {
    return departures.await(millis, TimeUnit.MILLISECONDS);
  }
}
