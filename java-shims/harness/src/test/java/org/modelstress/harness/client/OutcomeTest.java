package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.modelstress.harness.client.Bench.Row;
import org.modelstress.harness.drivers.FlakyDriver;
import org.modelstress.harness.samples.Digest;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.samples.Phase;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.DriverTimeoutException;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.SessionContext;

@Timeout(40)
class OutcomeTest {
  @TempDir Path folder;

  private Bench run(Driver driver, int threads, int executions, String more) throws Exception {
    return new Bench(
            folder,
            driver,
            threads,
            """
            {"operations": [{"name": "A", "arity": 2}], "executions": %d,
             "warmup": {"executions": 0, "seconds": 0}, %s}
            """
                .formatted(executions, more))
        .run();
  }

  private Path ids() throws Exception {
    Path file = folder.resolve("ids.mssf");
    try (IdsFile.Writer writer = IdsFile.ofLongs(file)) {
      for (long index = 0; index < 4; index++) {
        writer.put(100 + index, index);
      }
    }
    return file;
  }

  @Test
  void identifiersBecomeIndicesAndADigest() throws Exception {
    long[] ids = {103, 100, 101, 102, 999};
    TestDriver driver = new TestDriver(o -> Outcome.ok(new Ids.Longs(ids, 4)));
    Bench bench = run(driver, 1, 1, "\"timeout_ms\": 1000, \"ids\": \"" + ids() + "\"");
    Row row = bench.rows(Phase.MEASURE).get(0);
    assertEquals("ok", row.outcome());
    assertEquals(4, row.items());
    assertEquals(2, row.resultCount());
    assertEquals(Digest.of(new long[] {3, 0, 1, 2}, 4, 2), row.resultDigest());
    assertTrue(row.verifyNs() > 0);
  }

  @Test
  void aServerThatDoesNotAnswerWhenASessionIsOpenedIsATimeout() throws Exception {
    Driver mute =
        new Driver() {
          @Override
          public String name() {
            return "mute";
          }

          @Override
          public Session open(Endpoints endpoints, SessionContext who) throws DriverException {
            throw new DriverTimeoutException("no answer", null);
          }

          @Override
          public void close() {
            // owns nothing
          }
        };
    Bench bench = run(mute, 2, 4, "\"timeout_ms\": 1000");
    assertEquals(List.of("timeout", "timeout", "timeout", "timeout"), bench.outcomes());
    assertEquals(0, bench.progress.answered());
    assertEquals(List.of("no answer"), bench.messages());
  }

  @Test
  void textIdentifiersAreMappedAlike() throws Exception {
    Path file = folder.resolve("texts.mssf");
    try (IdsFile.Writer writer = IdsFile.ofStrings(file)) {
      writer.put("root", 0);
      writer.put("leaf", 1);
    }
    TestDriver driver = new TestDriver(o -> Outcome.ok(new Ids.Strings(List.of("leaf", "root"))));
    Row row =
        run(driver, 1, 1, "\"timeout_ms\": 1000, \"ids\": \"" + file + "\"")
            .rows(Phase.MEASURE)
            .get(0);
    assertEquals(Digest.of(new long[] {1, 0}, 2, 2), row.resultDigest());
    assertEquals("ok", row.outcome());
  }

  @ParameterizedTest
  @CsvSource({
    "error, error, injected error",
    "reject, rejected, injected rejection",
    "timeout, timeout, injected timeout",
    "throw, error, injected exception",
    "unknown, incorrect, identifier -1 is not one of the model's",
    "odd, incorrect, no multiple of the arity 2",
    "disconnect, error, Connection refused",
  })
  void faultsAreClassified(String fault, String outcome, String message) throws Exception {
    Bench bench =
        run(new FlakyDriver(), 2, 8, "\"timeout_ms\": 30, \"options\": {\"" + fault + "\": 1.0}");
    assertEquals(Collections.nCopies(8, outcome), bench.outcomes());
    List<String> messages = bench.messages();
    assertEquals(1, messages.size(), "told once");
    assertTrue(messages.get(0).contains(message), messages.get(0));
  }

  @Test
  void faultsComeByTheirRateAndTheirNumber() throws Exception {
    String options = "\"timeout_ms\": 100, \"options\": {\"seed\": 3, \"error\": 0.3}";
    List<String> first = run(new FlakyDriver(), 1, 1000, options).outcomes();
    assertEquals(first, run(new FlakyDriver(), 4, 1000, options).outcomes());
    long errors = first.stream().filter("error"::equals).count();
    assertEquals(300, errors, 60);
  }

  @Test
  void wrongResultsHaveAnotherDigest() throws Exception {
    String plain = "\"timeout_ms\": 100";
    Row right = run(new FlakyDriver(), 1, 1, plain).rows(Phase.MEASURE).get(0);
    Row wrong =
        run(new FlakyDriver(), 1, 1, plain + ", \"options\": {\"wrong\": 1}")
            .rows(Phase.MEASURE)
            .get(0);
    assertEquals("ok", wrong.outcome(), "only the oracle can tell");
    assertTrue(right.resultDigest() != wrong.resultDigest());
  }

  @Test
  void exhaustedClientPortsAreTheClientsFault() throws Exception {
    Bench bench =
        run(
            new FlakyDriver(),
            1,
            3,
            "\"timeout_ms\": 100, \"options\": {\"disconnect\": 1, \"client_fault\": 1}");
    assertEquals(Collections.nCopies(3, "error"), bench.outcomes());
    assertTrue(bench.messages().get(0).startsWith("client: "));
  }

  @Test
  void nothingAtAllIsAnError() throws Exception {
    Bench bench = run(new TestDriver(o -> null), 1, 2, "\"timeout_ms\": 100");
    assertEquals(List.of("error", "error"), bench.outcomes());
  }

  @Test
  void anErrorOfTheVirtualMachineIsAnOutcomeToo() throws Exception {
    TestDriver driver =
        new TestDriver(
            o -> {
              throw new NoClassDefFoundError("org/missing/Library");
            });
    Bench bench = run(driver, 1, 2, "\"timeout_ms\": 100, \"connection\": \"reused\"");
    assertEquals(List.of("error", "error"), bench.outcomes());
    assertTrue(bench.messages().get(0).contains("org/missing/Library"));
  }

  @Test
  void sessionsPerExecutionAreOpenedAndClosedEachTime() throws Exception {
    TestDriver driver = new TestDriver(o -> Outcome.ok(Ids.NONE));
    Bench bench = run(driver, 3, 50, "\"timeout_ms\": 1000");
    assertEquals(bench.rows().size(), driver.opens.get());
    assertEquals(bench.rows().size(), driver.closes.get());
  }

  @Test
  void reusedSessionsAreAllOpenBeforeTheClockStarts() throws Exception {
    AtomicInteger openAtFirst = new AtomicInteger(-1);
    AtomicInteger[] opens = new AtomicInteger[1];
    TestDriver driver =
        new TestDriver(
            o -> {
              openAtFirst.compareAndSet(-1, opens[0].get());
              return Outcome.ok(Ids.NONE);
            });
    opens[0] = driver.opens;
    run(driver, 5, 100, "\"timeout_ms\": 1000, \"connection\": \"reused\"");
    assertEquals(5, openAtFirst.get());
    assertEquals(5, driver.opens.get());
    assertEquals(5, driver.closes.get());
  }

  @Test
  void reusedSessionsAreReplacedAfterAFailure() throws Exception {
    Map<Long, Outcome> bad =
        Map.of(
            3L, Outcome.failed(Outcome.Kind.ERROR, "broken"),
            7L, Outcome.failed(Outcome.Kind.REJECTED, "not now"));
    TestDriver driver = new TestDriver(o -> bad.getOrDefault(o.sequence(), Outcome.ok(Ids.NONE)));
    run(driver, 1, 10, "\"timeout_ms\": 1000, \"connection\": \"reused\"");
    assertEquals(2, driver.opens.get(), "a rejection leaves the session whole");
    assertEquals(2, driver.closes.get());
  }

  @Test
  void theWatchdogInterruptsAndTheThreadGoesOn() throws Exception {
    TestDriver driver =
        new TestDriver(
            o -> {
              TestDriver.sleep(o.sequence() == 2 ? 20_000 : 1);
              return Outcome.ok(Ids.NONE);
            });
    Bench bench = run(driver, 1, 5, "\"timeout_ms\": 50");
    assertEquals(List.of("ok", "ok", "timeout", "ok", "ok"), bench.outcomes());
    assertEquals(1, bench.rows().stream().map(Row::thread).distinct().count());
    assertTrue(bench.rows().get(2).durationNs() >= 1_050_000_000L, "one grace second after 50 ms");
  }

  @Test
  void aThreadThatIgnoresTheInterruptIsReplacedAndCannotOverwriteItsRecord() throws Exception {
    AtomicInteger returned = new AtomicInteger();
    TestDriver driver =
        new TestDriver(
            o -> {
              if (o.sequence() == 2) {
                sleepThrough(2_600);
                returned.incrementAndGet();
              }
              return Outcome.ok(Ids.NONE);
            });
    // the one thread is stuck at execution 2, so the ones after it need a replacement
    Bench bench = run(driver, 1, 5, "\"timeout_ms\": 50, \"connection\": \"reused\"");
    List<Row> rows = bench.rows(Phase.MEASURE);
    assertEquals(List.of("ok", "ok", "timeout", "ok", "ok"), bench.outcomes());
    assertTrue(rows.get(2).durationNs() >= 2_050_000_000L, "two grace seconds after 50 ms");
    long end = System.nanoTime() + 5_000_000_000L;
    while (returned.get() == 0 && System.nanoTime() < end) {
      Thread.sleep(10);
    }
    assertEquals(1, returned.get());
    Thread.sleep(50);
    assertEquals(rows, bench.rows(Phase.MEASURE), "the late return changed nothing");
    assertEquals(
        LongStream.range(0, 5).boxed().toList(), rows.stream().map(Row::sequence).toList());
  }

  private static void sleepThrough(long millis) {
    long end = System.nanoTime() + millis * 1_000_000;
    while (System.nanoTime() < end) {
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        // ignored on purpose
      }
    }
  }
}
