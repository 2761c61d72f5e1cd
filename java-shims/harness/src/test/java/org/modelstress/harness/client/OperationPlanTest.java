package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.client.Bench.Row;

@Timeout(30)
class OperationPlanTest {
  @TempDir Path folder;

  private Bench mixed(int threads, int client, int seed) throws Exception {
    return new Bench(
            folder,
            new TestDriver(o -> TestDriver.OK),
            threads,
            """
            {"operations": [{"name": "A", "weight": 1}, {"name": "B", "weight": 0},
                            {"name": "C", "weight": 3}],
             "executions": 4000, "timeout_ms": 5000, "client": %d, "seed": %d,
             "warmup": {"executions": 100, "seconds": 0}}
            """
                .formatted(client, seed))
        .run();
  }

  /** Operation of every warm-up and measured execution. */
  private static List<String> operations(Bench bench) throws Exception {
    return bench.rows().stream()
        .filter(r -> r.sequence() < (r.phase().equals("measure") ? 4000 : 100))
        .filter(r -> !r.phase().equals("cooldown"))
        .map(Row::operation)
        .toList();
  }

  /** By phase and number; a thread that was late for the end of the warm-up leaves a number out. */
  private static Map<String, String> byNumber(Bench bench) throws Exception {
    return bench.rows().stream()
        .filter(r -> !r.phase().equals("cooldown"))
        .collect(Collectors.toMap(r -> r.phase() + " " + r.sequence(), Row::operation));
  }

  @Test
  void whichThreadDrawsTheTicketDoesNotMatter() throws Exception {
    Map<String, String> one = byNumber(mixed(1, 0, 5));
    Map<String, String> four = byNumber(mixed(4, 0, 5));
    one.keySet().retainAll(four.keySet());
    four.keySet().retainAll(one.keySet());
    assertTrue(one.size() > 4090, "all 4000 measured ones and nearly all of 100");
    assertEquals(one, four);
    assertNotEquals(operations(mixed(1, 0, 5)), operations(mixed(1, 0, 6)), "another seed");
    assertNotEquals(operations(mixed(1, 0, 5)), operations(mixed(1, 1, 5)), "another client");
  }

  @Test
  void weightsAreKept() throws Exception {
    List<String> all = operations(mixed(2, 0, 5));
    double n = all.size();
    double share = all.stream().filter("C"::equals).count() / n;
    assertEquals(0.75, share, 4 * Math.sqrt(0.75 * 0.25 / n), "within four standard errors");
    assertFalse(all.contains("B"), "weight 0 never comes");
  }

  @Test
  void uniqueTextsAreUniqueOverTheWholeClient() throws Exception {
    TestDriver driver = new TestDriver(o -> TestDriver.OK);
    Bench bench =
        new Bench(
                folder,
                driver,
                3,
                """
                {"operations": [{"name": "A", "text": "select(x | x.a/*unique*/)"}],
                 "unique_condition": " and %1$d = %1$d", "client": 7,
                 "executions": 300, "timeout_ms": 5000,
                 "warmup": {"executions": 50, "seconds": 0}}
                """)
            .run();
    assertEquals(bench.rows().size(), driver.texts.size());
    assertTrue(
        driver.texts.stream().allMatch(t -> t.matches("select\\(x \\| x\\.a and (\\d+) = \\1\\)")),
        driver.texts.iterator().next());
    assertTrue(
        driver.texts.stream()
            .allMatch(t -> Long.parseLong(t.replaceAll(".* = (\\d+)\\)", "$1")) % 64 == 7),
        "clients have numbers of their own");
  }

  @Test
  void sameTextsKeepTheMarkerAsAComment() throws Exception {
    TestDriver driver = new TestDriver(o -> TestDriver.OK);
    new Bench(
            folder,
            driver,
            1,
            """
            {"operations": [{"name": "A", "text": "x/*unique*/"}], "executions": 3,
             "timeout_ms": 5000}
            """)
        .run();
    assertEquals(java.util.Set.of("x/*unique*/"), driver.texts);
  }
}
