package org.modelstress.harness.client;

import java.util.SplittableRandom;

/**
 * When the executions of an open loop are due, as offsets from its beginning. Any thread may ask
 * for any ticket; the answer depends on the seed alone.
 */
final class Schedule {
  /** A Poisson schedule repeats after so many arrivals, so that tickets need no common state. */
  static final int TABLE = 1 << 20;

  private final double gapNs;
  private final long[] arrivals;

  private Schedule(double gapNs, long[] arrivals) {
    this.gapNs = gapNs;
    this.arrivals = arrivals;
  }

  /** Equal gaps; the first execution is due at once. */
  static Schedule constant(double ratePerS) {
    return new Schedule(1e9 / ratePerS, null);
  }

  /**
   * Independent exponential gaps.
   *
   * @param expected how many arrivals will be asked for; the table is not made larger than needed
   */
  static Schedule poisson(double ratePerS, long seed, long expected) {
    SplittableRandom random = new SplittableRandom(seed);
    long[] arrivals = new long[(int) Math.min(TABLE, Math.max(expected, 1024) * 2)];
    double gap = 1e9 / ratePerS;
    double at = 0;
    for (int i = 0; i < arrivals.length; i++) {
      at -= Math.log(1 - random.nextDouble()) * gap;
      arrivals[i] = (long) at;
    }
    return new Schedule(gap, arrivals);
  }

  private static long expected(Workload workload) {
    Workload.Window window = workload.window();
    boolean seconds = window != null && window.seconds() != null;
    return seconds
        ? (long) (workload.mode().ratePerS() * window.seconds())
        : workload.executions() == null ? 0 : workload.executions();
  }

  static Schedule of(Workload workload, long seed) {
    Workload.Mode mode = workload.mode();
    if (!mode.open()) {
      return null;
    }
    return mode.arrivals() == Workload.Arrivals.CONSTANT
        ? constant(mode.ratePerS())
        : poisson(mode.ratePerS(), seed, expected(workload));
  }

  /** How many executions are due before this time. */
  long dueBefore(long ns) {
    long ticket = (long) (ns / gapNs);
    while (offsetNs(ticket) < ns) {
      ticket++;
    }
    while (ticket > 0 && offsetNs(ticket - 1) >= ns) {
      ticket--;
    }
    return ticket;
  }

  /** Nanoseconds from the beginning until the execution with this ticket is due. */
  long offsetNs(long ticket) {
    if (arrivals == null) {
      return (long) (ticket * gapNs);
    }
    long round = ticket / arrivals.length;
    return round * arrivals[arrivals.length - 1] + arrivals[(int) (ticket % arrivals.length)];
  }

  /**
   * How long before its time a thread stops sleeping and spins, so that it is punctual: at most 100
   * µs (the kernel wakes sleepers about 60 µs late), and at most a fifth of a core in total.
   */
  long spinNs() {
    return (long) Math.min(100_000, gapNs / 5);
  }
}
