package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.client.Bench.Row;
import org.modelstress.harness.samples.Phase;

@Timeout(30)
class OpenLoopTest {
  @TempDir Path folder;

  private Bench run(TestDriver driver, int threads, int executions, String mode) throws Exception {
    return new Bench(
            folder,
            driver,
            threads,
            """
            {"operations": [{"name": "A"}], "executions": %d, "timeout_ms": 5000,
             "warmup": {"executions": 0, "seconds": 0},
             "mode": {"kind": "open", %s}}
            """
                .formatted(executions, mode))
        .run();
  }

  @Test
  void latencyCountsFromTheIntendedStart() throws Exception {
    TestDriver slow =
        new TestDriver(
            operation -> {
              TestDriver.sleep(10);
              return TestDriver.OK;
            });
    List<Row> rows = run(slow, 1, 40, "\"rate_per_s\": 500").rows(Phase.MEASURE);
    long begin = rows.get(0).intendedStartNs();
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      assertEquals(begin + i * 2_000_000L, row.intendedStartNs());
      // one thread, 10 ms each: execution i ends no earlier than 10 (i + 1) ms after the beginning
      assertTrue(
          row.durationNs() >= (10L * (i + 1) - 2L * i) * 1_000_000L,
          "execution " + i + " waited in vain: " + row.durationNs());
    }
  }

  @Test
  void nothingStartsBeforeItsTimeAndNothingIsSkipped() throws Exception {
    List<Row> rows =
        run(
                new TestDriver(o -> TestDriver.OK),
                4,
                300,
                "\"rate_per_s\": 2000, \"arrivals\": \"poisson\"")
            .rows(Phase.MEASURE);
    assertEquals(300, rows.size());
    for (Row row : rows) {
      assertTrue(row.startNs() >= row.intendedStartNs());
      assertTrue(row.durationNs() >= row.startNs() - row.intendedStartNs());
    }
  }

  @Test
  void poissonGapsAreExponentialWithTheRightMean() {
    Schedule schedule = Schedule.poisson(1000, 42, 200_000);
    int n = 200_000;
    double mean = schedule.offsetNs(n - 1) / (double) n;
    assertEquals(1e6, mean, 0.01e6);
    double squares = 0;
    long longGaps = 0;
    for (int i = 1; i < n; i++) {
      double gap = schedule.offsetNs(i) - schedule.offsetNs(i - 1);
      squares += (gap - mean) * (gap - mean);
      longGaps += gap > 2e6 ? 1 : 0;
    }
    assertEquals(1, Math.sqrt(squares / n) / mean, 0.02, "coefficient of variation");
    assertEquals(Math.exp(-2), longGaps / (double) n, 0.005, "share above twice the mean");
  }

  @Test
  void schedulesDependOnTheirSeedOnly() {
    Schedule one = Schedule.poisson(1000, 42, 100);
    Schedule same = Schedule.poisson(1000, 42, 100);
    Schedule other = Schedule.poisson(1000, 43, 100);
    int differences = 0;
    for (int i = 0; i < 100; i++) {
      assertEquals(one.offsetNs(i), same.offsetNs(i));
      differences += one.offsetNs(i) == other.offsetNs(i) ? 0 : 1;
    }
    assertNotEquals(0, differences);
  }

  @Test
  void arrivalsOfTheWindowDoNotDependOnHowLongTheWarmUpWas() throws Exception {
    List<Long> quick = arrivalsAfterWarmUp(0);
    assertEquals(quick, arrivalsAfterWarmUp(20), "the same seed, the same arrivals");
    assertEquals(60, quick.size());
  }

  private List<Long> arrivalsAfterWarmUp(long millis) throws Exception {
    TestDriver driver =
        new TestDriver(
            operation -> {
              TestDriver.sleep(millis);
              return TestDriver.OK;
            });
    String workload =
        """
        {"operations": [{"name": "A"}], "executions": 60, "timeout_ms": 5000, "seed": 7,
         "warmup": {"executions": 5, "seconds": 0.2},
         "mode": {"kind": "open", "rate_per_s": 500, "arrivals": "poisson"}}
        """;
    List<Row> rows = new Bench(folder, driver, 1, workload).run().rows(Phase.MEASURE);
    long begin = rows.get(0).intendedStartNs();
    return rows.stream().map(row -> row.intendedStartNs() - begin).toList();
  }

  @Test
  void aScheduleGoesOnBeyondItsTable() {
    Schedule schedule = Schedule.poisson(1000, 42, 10);
    for (int i = 1; i < 10_000; i++) {
      assertTrue(schedule.offsetNs(i) >= schedule.offsetNs(i - 1));
    }
    assertEquals(1e6, schedule.offsetNs(9_999) / 9_999.0, 0.1e6);
  }
}
