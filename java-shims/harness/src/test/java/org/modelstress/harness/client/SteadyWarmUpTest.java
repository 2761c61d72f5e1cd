package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.client.Bench.Row;
import org.modelstress.harness.samples.Phase;

@Timeout(30)
class SteadyWarmUpTest {
  @TempDir Path folder;

  private Bench bench(TestDriver driver, int threads, String warmUp) throws Exception {
    String json =
        """
        {"operations": [{"name": "A"}], "executions": 20, "timeout_ms": 5000, "warmup": %s}
        """;
    return new Bench(folder, driver, threads, json.formatted(warmUp));
  }

  @Test
  void itEndsWhenLatenciesAreSteady() throws Exception {
    AtomicInteger count = new AtomicInteger();
    TestDriver driver =
        new TestDriver(
            o -> {
              TestDriver.sleep(
                  Math.max(3, 40 - count.getAndIncrement() / 2)); // as code that is compiled
              return TestDriver.OK;
            });
    String rule =
        "{\"executions\": 10, \"seconds\": 0, \"threads\": 1,"
            + " \"steady\": {\"within\": 0.1, \"most_s\": 20}}";
    Bench bench = bench(driver, 1, rule).run();
    assertTrue(bench.verdict.steady(), "change " + bench.verdict.change());
    assertTrue(Math.abs(bench.verdict.change()) <= 0.11);
    // those that became faster must have left the half that is looked at
    assertTrue(bench.warmUp.executions() >= 74, "after " + bench.warmUp.executions());
    assertEquals(20, bench.rows(Phase.MEASURE).size());
  }

  @Test
  void theMostSecondsEndItAndAreNoReasonToStop() throws Exception {
    AtomicInteger count = new AtomicInteger();
    TestDriver driver =
        new TestDriver(
            o -> {
              TestDriver.sleep(1 + count.getAndIncrement() / 20); // slower and slower
              return TestDriver.OK;
            });
    String rule =
        "{\"executions\": 1, \"seconds\": 0, \"threads\": 1,"
            + " \"steady\": {\"within\": 0.01, \"most_s\": 0.7}}";
    Bench bench = bench(driver, 1, rule).run();
    assertFalse(bench.verdict.steady());
    assertTrue(bench.warmUp.seconds() >= 0.7, "seconds " + bench.warmUp.seconds());
    assertEquals(20, bench.rows(Phase.MEASURE).size());
  }

  @Test
  void itsLoadGoesOnUntilTheWindowIsAskedFor() throws Exception {
    TestDriver driver =
        new TestDriver(
            o -> {
              TestDriver.sleep(1);
              return TestDriver.OK;
            });
    String rule =
        "{\"executions\": 10, \"seconds\": 0," + " \"steady\": {\"within\": 0.5, \"most_s\": 20}}";
    Bench bench = bench(driver, 2, rule);
    long later = TimeUnit.MILLISECONDS.toNanos(600);
    bench.release = () -> bench.warmedNs != 0 && System.nanoTime() - bench.warmedNs >= later;
    bench.run();
    List<Row> rows = bench.rows(Phase.WARMUP);
    assertTrue(rows.size() > bench.warmUp.executions() + 100, "went on: " + rows.size());
    long last = rows.stream().mapToLong(Row::endNs).max().orElseThrow();
    assertTrue(last >= bench.warmedNs + later / 2);
    assertEquals(rows.size(), rows.stream().map(Row::sequence).distinct().count());
  }

  @Test
  void withoutARuleItIsAsItWas() throws Exception {
    TestDriver driver = new TestDriver(o -> TestDriver.OK);
    Bench bench = bench(driver, 1, "{\"executions\": 30, \"seconds\": 0}").run();
    assertNull(bench.verdict);
    assertEquals(bench.rows(Phase.WARMUP).size(), bench.warmUp.executions());
  }

  @Test
  void failuresAloneAreNeverSteady() throws Exception {
    TestDriver driver =
        new TestDriver(
            o -> {
              TestDriver.sleep(1);
              throw new IllegalStateException("no");
            });
    String rule =
        "{\"executions\": 1, \"seconds\": 0," + " \"steady\": {\"within\": 0.5, \"most_s\": 0.5}}";
    Bench bench = bench(driver, 1, rule).run();
    assertFalse(bench.verdict.steady());
    assertTrue(Double.isNaN(bench.verdict.change()));
  }
}
