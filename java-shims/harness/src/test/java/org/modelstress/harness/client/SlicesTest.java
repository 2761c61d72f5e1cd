package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.client.Bench.Row;
import org.modelstress.harness.config.ConfigException;
import org.modelstress.harness.samples.Phase;

/** Windows in slices, between which a client is idle. */
@Timeout(30)
class SlicesTest {
  private static final long IDLE_MILLIS = 300;

  @TempDir Path folder;

  private Bench bench(String more) throws Exception {
    TestDriver driver =
        new TestDriver(
            o -> {
              TestDriver.sleep(2);
              return TestDriver.OK;
            });
    String json =
        "{\"operations\": [{\"name\": \"A\"}], \"timeout_ms\": 5000,"
            + " \"warmup\": {\"executions\": 2, \"seconds\": 0, \"threads\": 1}, "
            + more
            + "}";
    return new Bench(folder, driver, 2, json);
  }

  private static List<LoadGenerator.Result> measured(Bench bench) throws Exception {
    List<LoadGenerator.Result> slices = new ArrayList<>();
    bench.generator.start();
    bench.generator.warmUp(bench);
    while (bench.generator.slicesLeft() > 0) {
      slices.add(bench.generator.measure(bench));
      Thread.sleep(IDLE_MILLIS);
    }
    bench.generator.close(1000);
    return slices;
  }

  @Test
  void executionsAreDividedAndNothingRunsInBetween() throws Exception {
    Bench bench = bench("\"executions\": 20, \"slices\": 3");
    List<LoadGenerator.Result> slices = measured(bench);
    assertEquals(
        List.of(7L, 7L, 6L), slices.stream().map(LoadGenerator.Result::executions).toList());
    List<Row> rows = bench.rows(Phase.MEASURE);
    assertEquals(20, rows.size());
    long[] starts = rows.stream().mapToLong(Row::startNs).sorted().toArray();
    long pauses = 0;
    for (int i = 1; i < starts.length; i++) {
      pauses += starts[i] - starts[i - 1] >= (IDLE_MILLIS - 50) * 1_000_000 ? 1 : 0;
    }
    assertEquals(2, pauses);
    List<Row> all = new ArrayList<>(rows);
    all.addAll(bench.rows(Phase.COOLDOWN));
    LongStream numbers = all.stream().mapToLong(Row::sequence).distinct();
    assertEquals(all.size(), numbers.count(), "a number twice");
  }

  @Test
  void secondsAreDivided() throws Exception {
    Bench bench =
        bench("\"window\": {\"seconds\": 0.4, \"per_thread\": 10, \"most_s\": 20}, \"slices\": 2");
    for (LoadGenerator.Result slice : measured(bench)) {
      assertTrue(slice.executions() >= 10, "five of each thread, not " + slice.executions());
      assertTrue(slice.seconds() >= 0.2, slice.seconds() + " s");
    }
  }

  @Test
  void anOpenLoopBeginsItsScheduleAnew() throws Exception {
    Bench bench =
        bench(
            "\"executions\": 20, \"slices\": 2,"
                + " \"mode\": {\"kind\": \"open\", \"rate_per_s\": 100}");
    measured(bench);
    for (Row row : bench.rows(Phase.MEASURE)) {
      long late = row.startNs() - row.intendedStartNs();
      assertTrue(late < (IDLE_MILLIS - 50) * 1_000_000, "late by " + late + " ns");
    }
  }

  @Test
  void thereIsSomethingForEachSlice() {
    ConfigException few =
        assertThrows(ConfigException.class, () -> bench("\"executions\": 2, \"slices\": 3"));
    assertTrue(few.getMessage().contains("executions: 2 is not from 3"), few.getMessage());
  }
}
