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
  record Plan(
      Phase phase,
      int threads,
      long executions,
      long leastNs,
      long firstSlot,
      long firstSequence) {}

  private final Plan plan;
  private final Schedule schedule;
  private final AtomicLong tickets = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();
  private final AtomicLong timeouts = new AtomicLong();
  private final AtomicLong cooldown = new AtomicLong();
  private final AtomicLong lastEndNs = new AtomicLong(Long.MIN_VALUE);
  private final CountDownLatch arrivals;
  private final CountDownLatch start = new CountDownLatch(1);
  private final CountDownLatch window = new CountDownLatch(1);
  private final CountDownLatch departures;
  private final Runnable whenOver;
  private volatile long beginNs;
  private volatile long windowEndNs;
  private volatile boolean over;

  /**
   * @param schedule of the open loop, null in a closed loop
   * @param whenOver wakes threads that sleep until an arrival or through a think time
   */
  Stage(Plan plan, Schedule schedule, Runnable whenOver) {
    this.plan = plan;
    this.schedule = schedule;
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

  /** The window rule: the first {@code executions} tickets are measured, later ones cool down. */
  Phase phaseOf(long ticket) {
    return measures() && ticket >= plan.executions() ? Phase.COOLDOWN : plan.phase();
  }

  /** When the execution with this ticket is due; open loop only. */
  long dueNs(long ticket) {
    return beginNs + schedule.offsetNs(ticket);
  }

  /** Whether no further execution should start. */
  boolean isOver() {
    return over;
  }

  /** An execution has ended and is recorded; {@code answered} unless by a timeout. */
  void ended(long ticket, long endNs, boolean answered) {
    if (!answered) {
      timeouts.incrementAndGet();
    }
    if (!measures()) {
      if (ended.incrementAndGet() >= plan.executions() && endNs - beginNs >= plan.leastNs()) {
        finish(endNs);
      }
    } else if (ticket >= plan.executions()) {
      cooldown.incrementAndGet();
    } else {
      // the one who ended last need not be the one who is counted last, but then it is among the
      // last few: at most one per thread is counted after it
      if (ended.get() >= plan.executions() - 2L * plan.threads()) {
        lastEndNs.accumulateAndGet(endNs, Math::max);
      }
      if (ended.incrementAndGet() == plan.executions()) {
        finish(lastEndNs.get());
      }
    }
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

  boolean awaitWindow(long millis) throws InterruptedException {
    return window.await(millis, TimeUnit.MILLISECONDS);
  }

  boolean awaitDepartures(long millis) throws InterruptedException {
    return departures.await(millis, TimeUnit.MILLISECONDS);
  }
}
