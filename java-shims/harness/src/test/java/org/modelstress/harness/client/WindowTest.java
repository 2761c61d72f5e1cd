package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.client.Bench.Row;
import org.modelstress.harness.samples.Phase;

@Timeout(30)
class WindowTest {
  private static final String NO_WARM_UP =
      "\"warmup\": {\"executions\": 0, \"seconds\": 0}, \"timeout_ms\": 5000";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 64})
  void exactlyTheFirstTicketsAreMeasured(int threads) throws Exception {
    int executions = 500;
    Bench bench =
        new Bench(
                folder,
                new TestDriver(o -> TestDriver.OK),
                threads,
                """
                {"operations": [{"name": "A"}], "executions": %d, %s}
                """
                    .formatted(executions, NO_WARM_UP))
            .run();
    List<Long> measured = bench.rows(Phase.MEASURE).stream().map(Row::sequence).toList();
    assertEquals(LongStream.range(0, executions).boxed().toList(), measured);
    List<Row> cooldown = bench.rows(Phase.COOLDOWN);
    assertTrue(cooldown.stream().allMatch(r -> r.sequence() >= executions));
    assertEquals(executions, bench.measured.executions());
    assertEquals(cooldown.size(), bench.measured.cooldown());
  }

  @Test
  void loadGoesOnUntilTheLastMeasuredExecutionHasEnded() throws Exception {
    int executions = 20;
    CountDownLatch cooling = new CountDownLatch(50);
    TestDriver driver =
        new TestDriver(
            operation -> {
              if (operation.sequence() == 3) {
                await(cooling); // ends only after 50 executions of the cooldown
              } else if (operation.sequence() >= executions) {
                cooling.countDown();
              }
              return TestDriver.OK;
            });
    Bench bench =
        new Bench(
                folder,
                driver,
                3,
                """
                {"operations": [{"name": "A"}], "executions": %d, %s}
                """
                    .formatted(executions, NO_WARM_UP))
            .run();
    List<Row> measured = bench.rows(Phase.MEASURE);
    List<Row> cooldown = bench.rows(Phase.COOLDOWN);
    assertEquals(executions, measured.size());
    assertTrue(cooldown.size() >= 50, "cooldown " + cooldown.size());
    long lastEnd = measured.stream().mapToLong(Row::endNs).max().orElseThrow();
    assertEquals(lastEnd, bench.windowEndNs);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(4, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void warmUpBeginsWithFewThreadsAndKeepsBothMinima() throws Exception {
    TestDriver driver =
        new TestDriver(
            operation -> {
              TestDriver.sleep(1);
              return TestDriver.OK;
            });
    Bench bench =
        new Bench(
                folder,
                driver,
                6,
                """
                {"operations": [{"name": "A"}], "executions": 1, "timeout_ms": 5000,
                 "warmup": {"executions": 40, "seconds": 0.6, "threads": 2}}
                """)
            .run();
    List<Row> rows = bench.rows(Phase.WARMUP);
    assertTrue(rows.size() >= 40, "count");
    assertEquals(rows.size(), bench.warmUp.executions());
    assertTrue(bench.warmUp.seconds() >= 0.6, "seconds");
    long firstOfMany =
        rows.stream().filter(r -> r.thread() >= 2).mapToLong(Row::sequence).min().orElseThrow();
    assertTrue(firstOfMany >= 20, "the first half is for two threads, not to " + firstOfMany);
    assertEquals(6, rows.stream().map(Row::thread).distinct().count(), "then all");
    assertEquals(rows.size(), rows.stream().map(Row::sequence).distinct().count());
  }

  @Test
  void warmUpGoesOnUntilItsCountIsReached() throws Exception {
    Bench bench =
        new Bench(
                folder,
                new TestDriver(o -> TestDriver.OK),
                2,
                """
                {"operations": [{"name": "A"}], "executions": 5, "timeout_ms": 5000,
                 "warmup": {"executions": 3000, "seconds": 0, "threads": 1}}
                """)
            .run();
    assertTrue(bench.rows(Phase.WARMUP).size() >= 3000);
    assertEquals(5, bench.rows(Phase.MEASURE).size());
  }

  @Test
  void thinkTimeIsNoPartOfTheSample() throws Exception {
    Bench bench =
        new Bench(
                folder,
                new TestDriver(o -> TestDriver.OK),
                1,
                """
                {"operations": [{"name": "A", "think_ms": 20}], "executions": 6, %s}
                """
                    .formatted(NO_WARM_UP))
            .run();
    List<Row> rows = bench.rows(Phase.MEASURE);
    for (int i = 1; i < rows.size(); i++) {
      assertTrue(rows.get(i).startNs() - rows.get(i - 1).endNs() >= 20_000_000L);
    }
  }

  private Bench inTime(int threads, long latencyMillis, String window) throws Exception {
    TestDriver driver =
        new TestDriver(
            operation -> {
              TestDriver.sleep(latencyMillis);
              return TestDriver.OK;
            });
    String json =
        """
        {"operations": [{"name": "A"}], "window": %s, %s}
        """;
    return new Bench(folder, driver, threads, json.formatted(window, NO_WARM_UP)).run();
  }

  @Test
  void aWindowLastsUntilThreadsHaveTheirExecutions() throws Exception {
    String window = "{\"seconds\": 0.1, \"per_thread\": 5, \"most_s\": 20}";
    Bench bench = inTime(3, 80, window);
    assertTrue(bench.rows(Phase.MEASURE).size() >= 15);
    assertTrue(bench.measured.seconds() >= 0.4, "seconds " + bench.measured.seconds());
    // and no longer: of those that begin last, each thread has one
    assertTrue(bench.rows(Phase.MEASURE).size() <= 15 + 3);
  }

  @Test
  void aWindowThatHasItsExecutionsLastsItsSeconds() throws Exception {
    Bench bench = inTime(2, 1, "{\"seconds\": 0.5, \"per_thread\": 5, \"most_s\": 20}");
    assertTrue(bench.measured.seconds() >= 0.5);
    assertTrue(bench.measured.executions() > 10 + 2);
  }

  @Test
  void aWindowWithTooFewExecutionsEndsAfterItsMostSeconds() throws Exception {
    Bench bench = inTime(2, 150, "{\"seconds\": 0.1, \"per_thread\": 1000, \"most_s\": 0.6}");
    List<Row> rows = bench.rows(Phase.MEASURE);
    assertTrue(rows.size() >= 4 && rows.size() <= 2 * 6, "executions " + rows.size());
    long begin = rows.stream().mapToLong(Row::startNs).min().orElseThrow();
    assertTrue(rows.stream().allMatch(r -> r.startNs() - begin <= 600_000_000L));
  }
}
