package org.modelstress.harness.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlowdownTest {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long ANSWER_NS = 20_000_000;

  @ParameterizedTest
  @ValueSource(ints = {10, 100, 300})
  void burnsItsShareOfWhatTheAnswerTook(int percent) {
    Slowdown slowdown = new Slowdown(percent);
    long begun = slowdown.begin();
    spin(ANSWER_NS);
    long answered = THREADS.getCurrentThreadCpuTime();
    slowdown.end(begun);
    long burned = THREADS.getCurrentThreadCpuTime() - answered;
    double share = 100.0 * burned / (answered - begun);
    assertTrue(share >= percent * 0.95, "at least its share: " + share);
    assertTrue(share <= percent * 1.05 + 5, "and hardly more: " + share);
  }

  @Test
  void burnsNothingWhereNothingIsAsked() {
    assertEquals(0, new Slowdown(0).begin());
    new Slowdown(0).end(Long.MIN_VALUE); // would burn for ever
  }

  private static void spin(long nanos) {
    long until = THREADS.getCurrentThreadCpuTime() + nanos;
    while (THREADS.getCurrentThreadCpuTime() < until) {
      Thread.onSpinWait();
    }
  }
}
