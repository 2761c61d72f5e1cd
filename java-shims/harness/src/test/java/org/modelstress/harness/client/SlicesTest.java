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
    return bench(2, "{\"executions\": 2, \"seconds\": 0, \"threads\": 1}", more);
  }

  private Bench bench(long millis, String warmUp, String more) throws Exception {
    TestDriver driver =
        new TestDriver(
            o -> {
              TestDriver.sleep(millis);
              return TestDriver.OK;
            });
    String json =
        "{\"operations\": [{\"name\": \"A\"}], \"timeout_ms\": 5000, \"warmup\": "
            + warmUp
            + ", "
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
  void aWarmUpIsDividedAndNothingRunsInBetween() throws Exception {
    String warmUp = "{\"executions\": 7, \"seconds\": 0, \"threads\": 1}";
    Bench bench = bench(2, warmUp, "\"executions\": 3, \"slices\": 3");
    List<Long> executions = new ArrayList<>();
    double seconds = 0;
    long asked = 0;
    bench.generator.start();
    while (bench.generator.warmUpsLeft() > 0) {
      long begun = System.nanoTime();
      bench.generator.warmUp(bench);
      asked += System.nanoTime() - begun;
      executions.add(bench.warmUp.executions());
      assertTrue(bench.warmUp.seconds() > seconds, "they are summed up");
      seconds = bench.warmUp.seconds();
      Thread.sleep(IDLE_MILLIS);
    }
    bench.generator.close(1000);
    List<Row> rows = bench.rows(Phase.WARMUP);
    long least = 0;
    for (int slice = 0; slice < 3; slice++) {
      least += slice == 0 ? 3 : 2;
      assertTrue(executions.get(slice) >= least, "the second thread may add some: " + executions);
    }
    assertEquals(rows.size(), executions.get(2), "sums up to then");
    assertEquals(rows.size(), rows.stream().map(Row::sequence).distinct().count());
    long[] starts = rows.stream().mapToLong(Row::startNs).sorted().toArray();
    long pauses = 0;
    for (int i = 1; i < starts.length; i++) {
      pauses += starts[i] - starts[i - 1] >= (IDLE_MILLIS - 50) * 1_000_000 ? 1 : 0;
    }
    assertEquals(2, pauses);
    assertTrue(seconds <= asked * 1e-9, "without what lay between: " + seconds + " s");
  }

  @Test
  void theRuleOfWarmUpGoesOnOverSlices() throws Exception {
    String warmUp =
        "{\"executions\": 2, \"seconds\": 0, \"threads\": 2,"
            + " \"steady\": {\"within\": 0.99, \"most_s\": 1.2}}";
    Bench bench = bench(30, warmUp, "\"executions\": 4, \"slices\": 4");
    List<Boolean> steady = new ArrayList<>();
    bench.generator.start();
    while (bench.generator.warmUpsLeft() > 0) {
      bench.generator.warmUp(bench);
      steady.add(bench.verdict.steady());
    }
    bench.generator.close(1000);
    assertEquals(false, steady.get(0), "two threads have no 40 executions of 30 ms in 0.3 s");
    assertEquals(true, steady.get(3), "all slices together have");
    assertTrue(bench.warmUp.executions() >= SteadyRule.LEAST, bench.warmUp.toString());
  }

  @Test
  void thereIsSomethingForEachSlice() {
    ConfigException few =
        assertThrows(ConfigException.class, () -> bench("\"executions\": 2, \"slices\": 3"));
    assertTrue(few.getMessage().contains("executions: 2 is not from 3"), few.getMessage());
  }
}
