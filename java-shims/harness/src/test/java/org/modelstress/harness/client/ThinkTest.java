package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.client.Bench.Row;
import org.modelstress.harness.samples.Phase;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.Result;
import org.modelstress.harness.spi.SessionContext;

/** Pauses within executions that somebody else ends, or that a session takes as it is opened. */
@Timeout(60)
class ThinkTest {
  private static final String REUSED =
      """
      {"operations": [{"name": "A"}], "executions": 2, "timeout_ms": 5000,
       "warmup": {"executions": 0, "seconds": 0}, "connection": "reused"}
      """;
  private static final long MILLI = 1_000_000L;

  @TempDir Path folder;

  private final CountDownLatch thinking = new CountDownLatch(1);

  /** Thinks for a minute in the first execution. */
  private final class Thinker implements Driver, Driver.Session {
    private SessionContext context;

    @Override
    public String name() {
      return "thinker";
    }

    @Override
    public Session open(Endpoints endpoints, SessionContext who) {
      context = who;
      return this;
    }

    @Override
    public Outcome execute(Operation operation) {
      if (operation.sequence() == 0) {
        thinking.countDown();
        context.think(60_000);
      }
      return Outcome.ok(Result.NONE);
    }

    @Override
    public void close() {
      // owns nothing
    }
  }

  private static void assertPauseIsNoLatency(Row row) {
    assertTrue(row.thinkNs() >= 500 * MILLI, "pause " + row.thinkNs());
    assertTrue(row.durationNs() < row.thinkNs(), "the pause is in the duration");
  }

  @Test
  void aPauseThatAHoldEndsIsNoLatency() throws Exception {
    Bench bench = new Bench(folder, new Thinker(), 1, REUSED);
    Thread holder =
        new Thread(
            () -> {
              await(thinking);
              TestDriver.sleep(600);
              bench.generator.hold("the server hangs");
              bench.resume();
            });
    holder.start();
    bench.run();
    holder.join();
    assertEquals(List.of("timeout", "ok"), bench.outcomes());
    assertPauseIsNoLatency(bench.rows(Phase.MEASURE).get(0));
  }

  @Test
  void aPauseThatTheEndOfTheProcessEndsIsNoLatency() throws Exception {
    Bench bench = new Bench(folder, new Thinker(), 1, REUSED);
    Thread load =
        new Thread(
            () -> {
              try {
                bench.run();
              } catch (Exception e) {
                // the generator was stopped
              }
            });
    load.start();
    await(thinking);
    TestDriver.sleep(600);
    bench.generator.abort();
    load.join();
    assertEquals(List.of("unfinished"), bench.outcomes());
    assertPauseIsNoLatency(bench.rows(Phase.MEASURE).get(0));
  }

  @Test
  void aSessionThatThinksWhileItIsOpenedAnewTakesNothingFromADuration() throws Exception {
    AtomicInteger opened = new AtomicInteger();
    Driver driver =
        new Driver() {
          @Override
          public String name() {
            return "slow to open";
          }

          @Override
          public Session open(Endpoints endpoints, SessionContext who) {
            opened.incrementAndGet();
            who.think(300);
            return new Session() {
              @Override
              public Outcome execute(Operation operation) {
                return operation.sequence() == 0
                    ? Outcome.failed(Outcome.Kind.ERROR, "once")
                    : Outcome.ok(Result.NONE);
              }

              @Override
              public void close() {
                // owns nothing
              }
            };
          }

          @Override
          public void close() {
            // owns nothing
          }
        };
    Bench bench = new Bench(folder, driver, 1, REUSED).run();
    assertEquals(2, opened.get());
    for (Row row : bench.rows(Phase.MEASURE)) {
      assertTrue(row.durationNs() >= 0, "duration " + row.durationNs());
      assertEquals(0, row.thinkNs(), "opening is not part of a reused session's executions");
    }
  }

  @Test
  void aNegativeCountIsAnError() throws Exception {
    Driver driver = new TestDriver(o -> Outcome.ok(new Result.Count(-1)));
    Bench bench = new Bench(folder, driver, 1, REUSED).run();
    assertEquals(List.of("error", "error"), bench.outcomes());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
