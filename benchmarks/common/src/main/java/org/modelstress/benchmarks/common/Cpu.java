package org.modelstress.benchmarks.common;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/** CPU time of the calling thread. */
public final class Cpu {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private Cpu() {}

  /** Nanoseconds that one run costs. */
  public static long ns(Runnable run) {
    long begin = THREADS.getCurrentThreadCpuTime();
    run.run();
    return THREADS.getCurrentThreadCpuTime() - begin;
  }

  /** Runs something over and over until it had so much CPU time. */
  public static void warm(Runnable run, double seconds, int atLeast) {
    long end = THREADS.getCurrentThreadCpuTime() + (long) (seconds * 1e9);
    for (int i = 0; i < atLeast || THREADS.getCurrentThreadCpuTime() < end; i++) {
      run.run();
    }
  }

  /** The middle value, or the mean of the two in the middle. */
  public static double median(long[] values) {
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0;
  }
}
