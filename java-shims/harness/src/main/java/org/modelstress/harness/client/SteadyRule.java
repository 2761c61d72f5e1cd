package org.modelstress.harness.client;

import java.util.Arrays;

/**
 * Judges from the executions of a warm-up alone whether it has come to a steady state
 * (docs/measuring.md, "Warm-up"): latencies of the third and of the last quarter are about the
 * same. The medians of each operation are compared, their logarithms weighted by executions. Two
 * looks in a row must agree, between which the executions grew by a tenth.
 */
final class SteadyRule {
  /** Executions before which nothing is said. */
  static final int LEAST = 40;

  private static final int LEAST_OF_OPERATION = 3;
  private static final int AGREEING = 2;
  private static final double GROWTH = 1.1;
  private static final int FIRST = 1 << 10;

  private final double within;
  private final int most;
  private int[] operations = new int[FIRST];
  private long[] durations = new long[FIRST];
  private int kept;
  private long total;
  private double nextLook = LEAST;
  private int agreeing;
  private double change = Double.NaN;

  /**
   * @param within change of latency, as a fraction, that is none
   * @param most executions that are remembered, an even number
   */
  SteadyRule(double within, int most) {
    this.within = Math.log1p(within);
    this.most = most;
  }

  /** An execution has ended, in the order of ends, after so many nanoseconds. */
  synchronized void add(int operation, long nanos) {
    if (kept == most) { // only the last half is looked at
      kept = most / 2;
      System.arraycopy(operations, kept, operations, 0, kept);
      System.arraycopy(durations, kept, durations, 0, kept);
    }
    if (kept == durations.length) {
      int larger = Math.min(2 * kept, most);
      operations = Arrays.copyOf(operations, larger);
      durations = Arrays.copyOf(durations, larger);
    }
    operations[kept] = operation;
    durations[kept++] = nanos;
    total++;
  }

  /** Whether it is steady, as far as has been looked; looks where enough is new. */
  boolean steady() {
    int[] names;
    long[] nanos;
    synchronized (this) {
      if (total < nextLook) {
        return agreeing >= AGREEING;
      }
      nextLook = total * GROWTH;
      int first = (int) (kept - Math.min(kept, total / 2));
      names = Arrays.copyOfRange(operations, first, kept);
      nanos = Arrays.copyOfRange(durations, first, kept);
    }
    change = change(names, nanos);
    agreeing = Math.abs(change) <= within ? agreeing + 1 : 0;
    return agreeing >= AGREEING;
  }

  /** By how much the last quarter was slower than the one before, as a fraction; NaN: unknown. */
  double change() {
    return Math.expm1(change);
  }

  /** Weighted mean of the logarithms of the operations' ratios; NaN when none can be told. */
  private static double change(int[] names, long[] nanos) {
    int half = nanos.length / 2;
    double sum = 0;
    long weight = 0;
    for (int operation : Arrays.stream(names).distinct().toArray()) {
      long[] before = of(operation, names, nanos, 0, half);
      long[] after = of(operation, names, nanos, half, nanos.length);
      if (Math.min(before.length, after.length) >= LEAST_OF_OPERATION) {
        int executions = before.length + after.length;
        sum += executions * Math.log(median(after) / median(before));
        weight += executions;
      }
    }
    return weight == 0 ? Double.NaN : sum / weight;
  }

  private static long[] of(int operation, int[] names, long[] nanos, int from, int to) {
    long[] values = new long[to - from];
    int n = 0;
    for (int i = from; i < to; i++) {
      if (names[i] == operation) {
        values[n++] = nanos[i];
      }
    }
    return Arrays.copyOf(values, n);
  }

  private static double median(long[] values) {
    Arrays.sort(values);
    int middle = values.length / 2;
    double upper = values[middle];
    double centre = values.length % 2 == 1 ? upper : (values[middle - 1] + upper) / 2;
    return Math.max(centre, 1); // a clock may be too coarse for what it times
  }
}
