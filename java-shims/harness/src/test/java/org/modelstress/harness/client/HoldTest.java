package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.client.Bench.Row;
import org.modelstress.harness.samples.Phase;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.SessionContext;

/** A server that hangs and is restarted in the middle of the load. */
@Timeout(60)
class HoldTest {
  private static final String REASON = "the server hangs";
  private static final Endpoints RESTARTED =
      Endpoints.of(new Endpoint(URI.create("test://restarted")));

  @TempDir Path folder;

  /** Answers some executions, then none, until its server has been restarted. */
  private static final class HangingDriver implements Driver {
    final AtomicInteger calls = new AtomicInteger();
    final AtomicInteger hanging = new AtomicInteger();
    final AtomicInteger returned = new AtomicInteger();
    final AtomicInteger opens = new AtomicInteger();
    final CountDownLatch end = new CountDownLatch(1);
    private final int healthy;

    HangingDriver(int healthy) {
      this.healthy = healthy;
    }

    @Override
    public String name() {
      return "hanging";
    }

    @Override
    public Session open(Endpoints endpoints, SessionContext who) {
      opens.incrementAndGet();
      return new Session() {
        @Override
        public Outcome execute(Operation operation) {
          if (calls.incrementAndGet() > healthy && endpoints != RESTARTED) {
            hang();
          }
          return TestDriver.OK;
        }

        @Override
        public void close() {
          // owns nothing
        }
      };
    }

    private void hang() {
      hanging.incrementAndGet();
      while (end.getCount() > 0) {
        try {
          end.await();
        } catch (InterruptedException e) {
          // as a driver that ignores it
        }
      }
      returned.incrementAndGet();
    }

    @Override
    public void close() {
      // owns nothing
    }
  }

  private Bench bench(Driver driver, int threads, String json) throws Exception {
    return new Bench(
        folder,
        driver,
        threads,
        "{\"operations\": [{\"name\": \"A\"}], \"timeout_ms\": 60000, " + json + "}");
  }

  private static CompletableFuture<Bench> started(Bench bench) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return bench.run();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "it never happened");
      LockSupport.parkNanos(1_000_000);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "per-execution, 0, 30",
    "reused, 0, 30",
    "per-execution, 40, 10",
    "reused, 40, 10",
  })
  void whatIsUnderWayEndsAndTheRestIsDoneAfterTheRestart(String connection, int warmUp, int healthy)
      throws Exception {
    HangingDriver driver = new HangingDriver(healthy);
    Bench bench =
        bench(
            driver,
            4,
            """
            "executions": 60, "connection": "%s",
            "warmup": {"executions": %d, "seconds": 0, "threads": 2}
            """
                .formatted(connection, warmUp));
    CompletableFuture<Bench> run = started(bench);
    int stuck = warmUp == 0 ? 4 : 2; // the warm-up begins with two threads
    until(() -> driver.hanging.get() == stuck);
    until(() -> bench.progress != null && bench.progress.underWay() == stuck);
    assertEquals(stuck, bench.generator.hold(REASON));
    int before = driver.calls.get();
    until(() -> bench.progress.underWay() == 0);
    assertEquals(before, driver.calls.get(), "nothing begins while the load is held");
    assertEquals(0, bench.generator.hold(REASON), "nothing is ended twice");

    int opens = driver.opens.get();
    bench.generator.resume(old -> RESTARTED);
    run.get(30, TimeUnit.SECONDS);
    List<Row> rows = bench.rows();
    driver.end.countDown();
    until(() -> driver.returned.get() == stuck);
    Thread.sleep(50);
    assertEquals(rows, bench.rows(), "threads that come back later record nothing");

    assertEquals(60, bench.rows(Phase.MEASURE).size());
    List<Row> lost = rows.stream().filter(r -> !r.outcome().equals("ok")).toList();
    assertEquals(stuck, lost.size());
    for (Row row : lost) {
      assertEquals("timeout", row.outcome());
      assertEquals(warmUp == 0 ? "measure" : "warmup", row.phase());
      assertTrue(row.durationNs() > 0);
    }
    assertEquals(List.of(REASON), bench.messages());
    assertEquals(rows.size() - stuck, bench.progress.answered());
    if (connection.equals("reused")) {
      assertEquals(4, driver.opens.get() - opens, "each thread's session is opened anew");
    }
  }

  @Test
  void inAnOpenLoopArrivalsGoOnDuringTheHold() throws Exception {
    HangingDriver driver = new HangingDriver(10);
    Bench bench =
        bench(
            driver,
            2,
            """
            "executions": 100, "warmup": {"executions": 0, "seconds": 0},
            "mode": {"kind": "open", "rate_per_s": 500}
            """);
    CompletableFuture<Bench> run = started(bench);
    until(() -> driver.hanging.get() == 2);
    assertEquals(2, bench.generator.hold(REASON));
    Thread.sleep(500); // by then all 100 are due
    bench.generator.resume(old -> RESTARTED);
    long resumedNs = System.nanoTime();
    run.get(30, TimeUnit.SECONDS);
    List<Row> rows = bench.rows(Phase.MEASURE);
    assertEquals(100, rows.size());
    long begin = rows.get(0).intendedStartNs();
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      assertEquals(
          begin + i * 2_000_000L, row.intendedStartNs(), "arrivals keep to their schedule");
      if (i > 12) {
        assertEquals("ok", row.outcome());
        assertTrue(row.endNs() >= resumedNs - 50_000_000L, "none began during the hold");
      }
    }
    Row last = rows.get(rows.size() - 1);
    assertTrue(last.durationNs() >= resumedNs - last.intendedStartNs() - 50_000_000L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"rows", "histogram"})
  void anExecutionThatEndsAtThatMomentIsRecordedOnce(String samples) throws Exception {
    TestDriver brief =
        new TestDriver(
            operation -> {
              LockSupport.parkNanos(operation.sequence() % 3 * 50_000);
              return TestDriver.OK;
            });
    Bench bench =
        bench(
            brief,
            6,
            """
            "executions": 30000, "warmup": {"executions": 0, "seconds": 0}, "samples": "%s"
            """
                .formatted(samples));
    CompletableFuture<Bench> run = started(bench);
    int ended = 0;
    for (int i = 0; i < 300 && !run.isDone(); i++) {
      ended += bench.generator.hold(REASON);
      LockSupport.parkNanos(200_000);
      bench.generator.resume(old -> RESTARTED);
      LockSupport.parkNanos(1_000_000);
    }
    run.get(30, TimeUnit.SECONDS);
    assertTrue(ended > 0, "the test must have met executions under way");
    assertEquals(
        bench.measured.executions() + bench.measured.cooldown() - ended, bench.progress.answered());
    if (samples.equals("rows")) {
      List<Row> rows = bench.rows();
      assertEquals(30_000 + bench.measured.cooldown(), rows.size());
      assertEquals(ended, rows.stream().filter(r -> r.outcome().equals("timeout")).count());
    }
  }

  @Test
  void whatNeverBeganDuringAHoldIsNotRecorded() throws Exception {
    HangingDriver driver = new HangingDriver(5);
    Bench bench =
        bench(driver, 3, "\"executions\": 60, \"warmup\": {\"executions\": 0, \"seconds\": 0}");
    CompletableFuture<Bench> run = started(bench);
    until(() -> driver.hanging.get() == 3);
    assertEquals(3, bench.generator.hold(REASON));
    bench.generator.abort();
    until(run::isCompletedExceptionally);
    List<String> found = bench.outcomes();
    assertEquals(5, Collections.frequency(found, "ok"));
    assertEquals(3, Collections.frequency(found, "timeout"));
    assertEquals(8, found.size());
  }
}
