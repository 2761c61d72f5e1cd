package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class SteadyRuleTest {
  private static final int MOST = 1 << 16;

  /** The execution after which the rule says steady; -1: none of so many. */
  private static int steadyAfter(SteadyRule rule, int executions, LongUnaryOperator nanos) {
    return steadyAfter(rule, 0, executions, nanos);
  }

  /** It is asked after the least executions of a warm-up. */
  private static int steadyAfter(
      SteadyRule rule, int least, int executions, LongUnaryOperator nanos) {
    for (int i = 0; i < executions; i++) {
      rule.add(0, nanos.applyAsLong(i));
      if (i >= least && rule.steady()) {
        return i;
      }
    }
    return -1;
  }

  @Test
  void equalLatenciesAreSteadyAtTheSecondLook() {
    int after = steadyAfter(new SteadyRule(0.05, MOST), 1000, i -> 1_000_000);
    assertTrue(after >= SteadyRule.LEAST && after < 60, "after " + after);
  }

  @Test
  void whatBecomesFasterIsNotSteadyBeforeItHasSettled() {
    // halves every 200 executions until 1,000, as code that is compiled
    LongUnaryOperator falling =
        i -> (long) (1e6 * (1 + 31 * Math.pow(0.5, Math.min(i, 1000) / 200.0)));
    int after = steadyAfter(new SteadyRule(0.05, MOST), 200, 10_000, falling);
    assertTrue(after > 1000, "after " + after);
  }

  @Test
  void whatKeepsGrowingIsNeverSteady() {
    SteadyRule rule = new SteadyRule(0.05, MOST);
    assertEquals(-1, steadyAfter(rule, 500, 20_000, i -> 1_000_000 + i * 1000));
    assertTrue(rule.change() > 0.05, "change " + rule.change());
  }

  @Test
  void noiseAroundALevelIsSteadySoon() {
    Random random = new Random(5);
    int after =
        steadyAfter(
            new SteadyRule(0.05, MOST),
            10_000,
            i -> (long) (1e6 * Math.exp(0.3 * random.nextGaussian())));
    assertTrue(after > 0 && after < 3000, "after " + after);
  }

  @Test
  void operationsAreComparedEachWithItself() {
    SteadyRule rule = new SteadyRule(0.05, MOST);
    // more and more of the slow one: the median of all would grow without an end
    Random random = new Random(6);
    boolean steady = false;
    for (int i = 0; i < 2000; i++) {
      boolean slow = random.nextInt(2000) < i;
      rule.add(slow ? 1 : 0, slow ? 50_000_000 : 1_000_000);
      steady |= rule.steady();
    }
    assertTrue(steady);
    assertEquals(0, rule.change(), 1e-9);
  }

  @Test
  void nothingIsSaidOfFewExecutionsOrOfManyDifferentOperations() {
    SteadyRule few = new SteadyRule(0.05, MOST);
    assertEquals(-1, steadyAfter(few, SteadyRule.LEAST - 1, i -> 1000));
    SteadyRule many = new SteadyRule(0.05, MOST);
    for (int i = 0; i < 500; i++) {
      many.add(i, 1000);
      assertFalse(many.steady());
    }
    assertTrue(Double.isNaN(many.change()));
  }

  @Test
  void onlyTheLastExecutionsAreRemembered() {
    SteadyRule rule = new SteadyRule(0.05, 256);
    int after =
        steadyAfter(rule, 500, 100_000, i -> (long) (1e10 * Math.exp(-Math.min(i, 5000) / 500.0)));
    assertTrue(after > 5000 && after < 6500, "after " + after);
  }
}
