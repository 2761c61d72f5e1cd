package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.client.Bench.Row;
import org.modelstress.harness.config.ConfigException;
import org.modelstress.harness.samples.Phase;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.Result;
import org.modelstress.harness.spi.SessionContext;

/** What a session knows and may do: who it is, order of operations, pauses, outcomes, windows. */
@Timeout(60)
class SessionTest {
  private static final String NO_WARM_UP =
      "\"warmup\": {\"executions\": 0, \"seconds\": 0}, \"connection\": \"reused\"";

  @TempDir Path folder;

  private record Sessions(BiFunction<SessionContext, Operation, Outcome> behaviour)
      implements Driver {
    @Override
    public String name() {
      return "sessions";
    }

    @Override
    public Session open(Endpoints endpoints, SessionContext who) {
      return new Session() {
        @Override
        public Outcome execute(Operation operation) {
          return behaviour.apply(who, operation);
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
  }

  private Bench run(
      int threads, String json, BiFunction<SessionContext, Operation, Outcome> behaviour)
      throws Exception {
    return new Bench(folder, new Sessions(behaviour), threads, json).run();
  }

  private static Outcome ok() {
    return Outcome.ok(Result.NONE);
  }

  @Test
  void everySessionKnowsWhoItIsAndHasASeedOfItsOwn() throws Exception {
    Set<String> seen = ConcurrentHashMap.newKeySet();
    Set<Long> seeds = ConcurrentHashMap.newKeySet();
    run(
        4,
        """
        {"operations": [{"name": "A"}], "executions": 200, "client": 3, "timeout_ms": 5000, %s}
        """
            .formatted(NO_WARM_UP),
        (who, operation) -> {
          TestDriver.sleep(1);
          seen.add(who.client() + "/" + who.thread());
          seeds.add(who.seed());
          return ok();
        });
    assertEquals(Set.of("3/0", "3/1", "3/2", "3/3"), seen);
    assertEquals(4, seeds.size());
    assertEquals(seeds.size(), Set.copyOf(seeds).size());
  }

  @Test
  void everyThreadGoesThroughTheOrderFromTheFirst() throws Exception {
    List<String> order = List.of("A", "B", "B", "C");
    Bench bench =
        run(
            3,
            """
            {"operations": [{"name": "A"}, {"name": "B"}, {"name": "C"}],
             "order": ["A", "B", "B", "C"], "executions": 60, "timeout_ms": 5000, %s}
            """
                .formatted(NO_WARM_UP),
            (who, operation) -> ok());
    for (int thread = 0; thread < 3; thread++) {
      int number = thread;
      List<String> names =
          bench.rows().stream()
              .filter(r -> r.thread() == number)
              .sorted(Comparator.comparing(Row::startNs))
              .map(Row::operation)
              .toList();
      for (int i = 0; i < names.size(); i++) {
        assertEquals(order.get(i % order.size()), names.get(i));
      }
    }
  }

  @Test
  void aPauseIsNoLatencyAndCountsAgainstNoDeadline() throws Exception {
    int pause = 2500; // beyond the deadline with both graces
    Bench bench =
        run(
            1,
            """
            {"operations": [{"name": "A"}], "executions": 2, "timeout_ms": 100, %s}
            """
                .formatted(NO_WARM_UP),
            (who, operation) -> {
              who.think(pause);
              TestDriver.sleep(20);
              return ok();
            });
    List<Row> rows = bench.rows(Phase.MEASURE);
    assertEquals(List.of("ok", "ok"), bench.outcomes());
    for (Row row : rows) {
      assertTrue(row.thinkNs() >= pause * 1_000_000L, "pause " + row.thinkNs());
      assertTrue(row.durationNs() >= 20_000_000L, "duration " + row.durationNs());
      assertTrue(row.durationNs() < row.thinkNs(), "the pause is in the duration");
    }
    assertTrue(rows.get(1).startNs() >= rows.get(0).endNs(), "executions of a thread overlap");
  }

  @Test
  void nothingIsUnderWayInAPause() throws Exception {
    Bench[] started = new Bench[1];
    List<Integer> underWay = new ArrayList<>();
    Bench bench =
        new Bench(
            folder,
            new Sessions(
                (who, operation) -> {
                  // on a busy machine a pause may see no progress: another one is taken then
                  for (int pause = 0; pause < 20 && !underWay.contains(0); pause++) {
                    int before = started[0].progresses.size();
                    who.think(1500);
                    List<LoadGenerator.Progress> all = List.copyOf(started[0].progresses);
                    all.subList(before, all.size()).forEach(now -> underWay.add(now.underWay()));
                  }
                  return ok();
                }),
            1,
            """
            {"operations": [{"name": "A"}], "executions": 1, "timeout_ms": 5000, %s}
            """
                .formatted(NO_WARM_UP));
    started[0] = bench;
    bench.run();
    assertTrue(underWay.contains(0), "under way in pauses: " + underWay);
  }

  @Test
  void whatIsHeldEndsAPause() throws Exception {
    Bench bench =
        new Bench(
            folder,
            new Sessions(
                (who, operation) -> {
                  who.think(operation.sequence() == 0 ? 60_000 : 0);
                  return ok();
                }),
            1,
            """
            {"operations": [{"name": "A"}], "executions": 2, "timeout_ms": 5000, %s}
            """
                .formatted(NO_WARM_UP));
    Thread holder =
        new Thread(
            () -> {
              TestDriver.sleep(500);
              assertEquals(1, bench.generator.hold("the server hangs"));
              bench.resume();
            });
    holder.start();
    bench.run();
    holder.join();
    assertEquals(List.of("timeout", "ok"), bench.outcomes());
  }

  @Test
  void everyOutcomeOfADriverIsRecordedWithItsAttempts() throws Exception {
    List<Outcome> outcomes =
        List.of(
            Outcome.ok(new Result.Count(7)).withAttempts(3),
            Outcome.failed(Outcome.Kind.INCORRECT, "wrong"),
            Outcome.failed(Outcome.Kind.ABORTED, "conflict").withAttempts(4),
            Outcome.failed(Outcome.Kind.REJECTED, "no funds"));
    Bench bench =
        run(
            1,
            """
            {"operations": [{"name": "A"}], "executions": 4, "timeout_ms": 5000, %s}
            """
                .formatted(NO_WARM_UP),
            (who, operation) -> outcomes.get((int) operation.sequence() % 4));
    assertEquals(List.of("ok", "incorrect", "aborted", "rejected"), bench.outcomes());
    List<Row> rows = bench.rows(Phase.MEASURE);
    assertEquals(List.of(3L, 1L, 4L, 1L), rows.stream().map(Row::attempts).toList());
    assertEquals(7, rows.get(0).items());
    assertEquals(7, rows.get(0).resultCount());
    assertEquals(0, rows.get(0).resultDigest());
  }

  @Test
  void aWindowOfSecondsMeasuresWhatBeginsInIt() throws Exception {
    Bench bench =
        run(
            3,
            """
            {"operations": [{"name": "A"}], "window": {"seconds": 0.6}, "timeout_ms": 5000, %s}
            """
                .formatted(NO_WARM_UP),
            (who, operation) -> {
              // one that begins early and ends late
              TestDriver.sleep(operation.sequence() == 0 ? 1200 : 10);
              return ok();
            });
    List<Row> rows = bench.rows(Phase.MEASURE);
    long begin = rows.stream().mapToLong(Row::startNs).min().orElseThrow();
    assertTrue(rows.stream().allMatch(r -> r.startNs() - begin < 600_000_000L));
    assertEquals(rows.size(), bench.measured.executions());
    List<Row> cooldown = bench.rows(Phase.COOLDOWN);
    assertTrue(!cooldown.isEmpty(), "load must go on until the last measured execution has ended");
    assertEquals(cooldown.size(), bench.measured.cooldown());
    long last = rows.stream().mapToLong(Row::endNs).max().orElseThrow();
    assertTrue(bench.windowEndNs >= last, "the window ends with its last execution");
  }

  @Test
  void aWindowOfSecondsWithNothingUnderWayEnds() throws Exception {
    Bench bench =
        run(
            1,
            """
            {"operations": [{"name": "A", "think_ms": 3000}], "window": {"seconds": 0.5},
             "timeout_ms": 5000, %s}
            """
                .formatted(NO_WARM_UP),
            (who, operation) -> ok());
    assertTrue(bench.measured.seconds() >= 0.5 && bench.measured.executions() <= 1);
  }

  @Test
  void aWindowOfObjectsEndsWhenTheyAreThere() throws Exception {
    Bench bench =
        run(
            4,
            """
            {"operations": [{"name": "create", "objects": true}, {"name": "find"}],
             "window": {"objects": 1000}, "timeout_ms": 5000, %s}
            """
                .formatted(NO_WARM_UP),
            (who, operation) -> Outcome.ok(new Result.Count(10)));
    long created =
        bench.rows(Phase.MEASURE).stream()
            .filter(r -> r.operation().equals("create"))
            .mapToLong(Row::items)
            .sum();
    // each of the other threads may have had one more under way
    assertTrue(created >= 1000 && created <= 1000 + 4 * 10, created + " objects");
  }

  @Test
  void anOpenLoopMeasuresWhatIsDueInTheWindow() throws Exception {
    Bench bench =
        run(
            2,
            """
            {"operations": [{"name": "A"}], "window": {"seconds": 0.5}, "timeout_ms": 5000,
             "mode": {"kind": "open", "rate_per_s": 100}, %s}
            """
                .formatted(NO_WARM_UP),
            (who, operation) -> ok());
    assertEquals(50, bench.measured.executions());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 40})
  void firstThinkTimesOfAStageAreSpread(int warmup) throws Exception {
    Bench bench =
        run(
            20,
            """
            {"operations": [{"name": "A", "think_ms": 400}], "executions": 20, "timeout_ms": 5000,
             "warmup": {"executions": %d, "seconds": 0}}
            """
                .formatted(warmup),
            (who, operation) -> ok());
    List<Row> rows = bench.rows(Phase.MEASURE);
    long first = rows.stream().mapToLong(Row::startNs).min().orElseThrow();
    long last = rows.stream().mapToLong(Row::startNs).max().orElseThrow();
    assertTrue(last - first > 100_000_000L, "threads go in step");
  }

  @Test
  void addressesOfNodes() throws Exception {
    Endpoints one = Addresses.parse(List.of("tcp://127.0.0.1:1"));
    assertEquals(Set.of("server"), one.nodes().keySet());
    Endpoints two = Addresses.parse(List.of("writer=http://h:1/a=b", "replica-2=http://h:2"));
    assertEquals(List.of("writer", "replica-2"), List.copyOf(two.nodes().keySet()));
    assertEquals("http://h:1/a=b", two.first().uri().toString());
    assertNotEquals(two.first(), two.node("replica-2"));
    assertThrows(IllegalArgumentException.class, () -> two.node("reader"));
    assertThrows(ConfigException.class, () -> Addresses.parse(List.of("tcp://h:1", "tcp://h:2")));
    assertThrows(ConfigException.class, () -> Addresses.parse(List.of("a=not a url")));
  }
}
