package org.modelstress.harness.server;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Makes a server slower by a known share: after each answer its thread burns that share of the CPU
 * time that the answer took. Statistics are held against such servers, since the truth is known.
 *
 * @param percent of the CPU time of an answer; 0 burns nothing
 */
public record Slowdown(int percent) {
  /** Name of the server option. */
  public static final String NAME = "burned_percent";

  /** Most that can be asked for. */
  public static final int MOST = 1000;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** What {@link #end} needs to know, before an answer is made by this thread. */
  public long begin() {
    return percent == 0 ? 0 : THREADS.getCurrentThreadCpuTime();
  }

  /**
   * Burns the share of what this thread used since.
   *
   * @param begun of {@link #begin}
   */
  public void end(long begun) {
    if (percent == 0) {
      return;
    }
    long now = THREADS.getCurrentThreadCpuTime();
    long until = now + (now - begun) * percent / 100;
    while (THREADS.getCurrentThreadCpuTime() < until) {
      Thread.onSpinWait();
    }
  }
}
