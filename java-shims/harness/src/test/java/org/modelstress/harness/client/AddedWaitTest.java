package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.client.Bench.Row;
import org.modelstress.harness.samples.Phase;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.SessionContext;

@Timeout(30)
class AddedWaitTest {
  private static final int EXECUTIONS = 4;

  @TempDir Path folder;

  /** Opening, executing and closing take their time, which it notes. */
  private static final class SlowDriver implements Driver {
    final List<Long> tookNs = new ArrayList<>();
    final List<Options> options = new ArrayList<>();

    @Override
    public String name() {
      return "slow";
    }

    @Override
    public Session open(Endpoints endpoints, SessionContext who) {
      long begun = System.nanoTime();
      options.add(who.options());
      TestDriver.sleep(20);
      long opened = System.nanoTime();
      return new Session() {
        private long executedNs;

        @Override
        public Outcome execute(Operation operation) {
          long executing = System.nanoTime();
          TestDriver.sleep(10);
          executedNs = System.nanoTime() - executing;
          return TestDriver.OK;
        }

        @Override
        public void close() {
          long closing = System.nanoTime();
          TestDriver.sleep(20);
          tookNs.add(opened - begun + executedNs + System.nanoTime() - closing);
        }
      };
    }

    @Override
    public void close() {
      // owns nothing
    }
  }

  private List<Row> measured(SlowDriver driver, String connection) throws Exception {
    String json =
        "{\"operations\": [{\"name\": \"A\"}], \"timeout_ms\": 5000, \"executions\": "
            + EXECUTIONS
            + ", \"warmup\": {\"executions\": 0, \"seconds\": 0}, \"connection\": \""
            + connection
            + "\", \"options\": {\"waited_percent\": 150}}";
    Bench bench = new Bench(folder, driver, 1, json);
    return bench.run().rows(Phase.MEASURE);
  }

  @Test
  void anExecutionTakesLongerByItsShareWithOpeningAndClosing() throws Exception {
    SlowDriver driver = new SlowDriver();
    List<Row> rows = measured(driver, "per-execution");
    assertEquals(EXECUTIONS, rows.size());
    for (int i = 0; i < EXECUTIONS; i++) {
      long took = driver.tookNs.get(i);
      long whole = rows.get(i).durationNs();
      assertTrue(whole >= 2.5 * took, whole + " ns, of which the execution took " + took);
    }
  }

  @Test
  void executionsOfReusedSessionsTakeLongerToo() throws Exception {
    for (Row row : measured(new SlowDriver(), "reused")) {
      assertTrue(row.durationNs() >= 25_000_000, "10 ms and 150 %: " + row);
    }
  }

  @Test
  void driversAreNotToldOfIt() throws Exception {
    SlowDriver driver = new SlowDriver();
    measured(driver, "reused");
    assertEquals(Map.of(), driver.options.get(0).values());
    Options plain = new Options(1000, Map.of());
    assertSame(plain, AddedWait.without(plain));
  }

  @Test
  void whoeverIsInterruptedWaitsNoLonger() {
    AddedWait endless = AddedWait.of(new Options(1000, Map.of(AddedWait.NAME, 1_000_000_000)));
    Thread.currentThread().interrupt(); // as the deadline of an execution does it
    endless.after(System.nanoTime() - 1_000_000_000);
    assertTrue(Thread.interrupted());
  }

  @Test
  void nothingIsWaitedWhereNothingIsAsked() {
    AddedWait.of(new Options(1000, Map.of())).after(0);
  }
}
