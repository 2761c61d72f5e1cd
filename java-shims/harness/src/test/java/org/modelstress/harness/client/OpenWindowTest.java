package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.samples.Phase;

/** Windows of seconds in open loops. */
@Timeout(60)
class OpenWindowTest {
  private static final String WORKLOAD =
      """
      {"operations": [{"name": "A"}], "window": {"seconds": %s}, "timeout_ms": 5000,
       "warmup": {"executions": 0, "seconds": 0}, "connection": "reused",
       "mode": {"kind": "open", "rate_per_s": %s}}
      """;

  @TempDir Path folder;

  @Test
  void whatWasDueIsMeasuredHoweverLateItBegins() throws Exception {
    TestDriver driver =
        new TestDriver(
            operation -> {
              TestDriver.sleep(30); // three times as slow as arrivals come
              return TestDriver.OK;
            });
    Bench bench = new Bench(folder, driver, 1, WORKLOAD.formatted("0.5", "100")).run();
    assertEquals(50, bench.rows(Phase.MEASURE).size());
    long begin = bench.rows(Phase.MEASURE).get(0).intendedStartNs();
    assertTrue(
        bench.rows(Phase.MEASURE).stream()
            .allMatch(r -> r.intendedStartNs() - begin < 500_000_000L));
  }

  @Test
  void progressIsOfSeconds() throws Exception {
    TestDriver driver = new TestDriver(o -> TestDriver.OK);
    Bench bench = new Bench(folder, driver, 1, WORKLOAD.formatted("1.2", "100")).run();
    Set<String> units =
        bench.progresses.stream().map(LoadGenerator.Progress::unit).collect(Collectors.toSet());
    assertEquals(Set.of("seconds"), units);
    assertTrue(bench.progresses.stream().allMatch(p -> p.total() == 2 && p.done() <= 2));
  }

  @Test
  void theWindowLastsItsTimeThoughAllThatIsDueHasEnded() throws Exception {
    TestDriver driver = new TestDriver(o -> TestDriver.OK);
    // due at 0 and 0.75 s
    Bench bench = new Bench(folder, driver, 1, WORKLOAD.formatted("1.4", "1.3333")).run();
    assertEquals(2, bench.rows(Phase.MEASURE).size());
    assertTrue(bench.measured.seconds() >= 1.4, "window of " + bench.measured.seconds());
    assertTrue(bench.windowToldNs >= bench.windowEndNs, "WINDOW names a time that is to come");
  }
}
