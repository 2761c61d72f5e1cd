package org.modelstress.hawk.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;
import org.modelstress.queries.QueryCancelledException;

/** What an evaluation reads, how it ends, and what it may see. */
class EvaluationTest {
  private static final ModelGraph MODEL =
      new ModelGraph(
          TrainGenerator.generate(Line.LINE_2016, Scenario.REPAIR, 1, TrainGenerator.DEFAULT_SEED),
          ModelGraph.train());

  /** Notes the calls of a graph's readers. */
  private static Graph watched(List<String> calls) {
    return proxy(
        Graph.class,
        MODEL.graph,
        (name, result) ->
            name.equals("read")
                ? proxy(
                    GraphReader.class,
                    result,
                    (call, value) -> {
                      calls.add(call);
                      return value;
                    })
                : result);
  }

  private interface Seen {
    Object call(String name, Object result);
  }

  private static <T> T proxy(Class<T> type, Object target, Seen seen) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              try {
                return seen.call(method.getName(), method.invoke(target, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private static List<String> calls(Fidelity fidelity, Language language, String text)
      throws Exception {
    List<String> calls = new ArrayList<>();
    QueryEngine engine = new QueryEngine(watched(calls), MODEL.catalog, fidelity);
    Object result = MODEL.run(engine, language, text, QueryScope.ALL);
    assertFalse(((List<?>) result).isEmpty());
    return calls;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "EOL@ return Segment.all.select(s | s.length <= 0);",
        "EOL@ return Segment.allInstances.select(s | 0 > s.length and s.length > -500);",
        "EOL@ return Segment.all.select(s | not (s.length <= 0) and s.length < 9).asSet();",
        "EOL@ return Switch.all.select(s | s.isMonitored = true);",
        "EPL@ pattern P s : Segment guard: s.length <= 0 {}",
        "EPL@ pattern P s : Segment from: Segment.all.select(s | s.length <= 0) {}",
        "EPL@ pattern P s : Any from: Segment.all.select(s | s.length <= 0) {}"
      })
  void improvedCostsItsHits(Language language, String text) throws Exception {
    List<String> calls = calls(Fidelity.IMPROVED, language, text);
    assertTrue(calls.contains("lookup"), text + ": " + calls);
    boolean complement = text.contains("not (");
    // without a complement nothing but the index is read
    assertEquals(
        complement ? Set.of("lookup", "sources", "close") : Set.of("lookup", "close"),
        new TreeSet<>(calls),
        text);
  }

  @Test
  void paperGoesThroughTheExtent() throws Exception {
    List<String> calls =
        calls(Fidelity.PAPER, Language.EOL, "return Segment.all.select(s | s.length <= 0);");
    assertEquals(List.of("lookup", "sources", "close"), calls);
    assertFalse(
        calls(Fidelity.PAPER, Language.EOL, "return Switch.all.select(s | s.isMonitored);")
            .contains("lookup"));
    assertThrows(
        FailedQueryException.class,
        () -> calls(Fidelity.PAPER, Language.EOL, "return Segment.all.select(s | s.length <> 3);"));
  }

  @ParameterizedTest
  @EnumSource(Fidelity.class)
  void cancellingFreesTheThread(Fidelity fidelity) throws Exception {
    String endless = "while (true) { var x = 1; } return 1;";
    String long1 =
        "return Segment.all.select(a | Segment.all.exists(b | Segment.all.forAll(c |"
            + " Segment.all.exists(d | a.length + b.length + c.length = d.length + 12345))));";
    String long2 =
        "pattern P a : Segment, b : Segment, c : Segment, d : Segment guard: a.length > 5000 or"
            + " a.id + b.id + c.id + d.id = -1 {}";
    assertCancels(fidelity, Language.EOL, endless);
    assertCancels(fidelity, Language.EOL, long1);
    assertCancels(fidelity, Language.EPL, long2);
  }

  private static void assertCancels(Fidelity fidelity, Language language, String text)
      throws Exception {
    Cancellation cancellation = new Cancellation();
    QueryEngine engine = new QueryEngine(MODEL.graph, MODEL.catalog, fidelity);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<Object> running =
          thread.submit(
              () ->
                  engine.run(
                      language, text, QueryScope.ALL, cancellation, (result, reader) -> result));
      Thread.sleep(300);
      assertFalse(running.isDone(), text);
      cancellation.cancel();
      ExecutionException e =
          assertThrows(ExecutionException.class, () -> running.get(20, TimeUnit.SECONDS), text);
      assertEquals(QueryCancelledException.class, e.getCause().getClass(), text + e.getCause());
    } finally {
      thread.shutdownNow();
      assertTrue(thread.awaitTermination(20, TimeUnit.SECONDS));
    }
    assertEquals(1, MODEL.run(engine, Language.EOL, "return 1;", QueryScope.ALL));
  }

  @ParameterizedTest
  @EnumSource(Fidelity.class)
  void filePatternsDecideWhatExtentsHave(Fidelity fidelity) throws Exception {
    QueryEngine engine = new QueryEngine(MODEL.graph, MODEL.catalog, fidelity);
    for (String text :
        List.of(
            "return Segment.all.size() > 0;",
            "return Segment.all.select(s | s.length <= 0).size() > 0;")) {
      for (String pattern : List.of("*", "*.xmi", "/models/*", "*train*")) {
        assertEquals(true, run(engine, text, pattern, "/none"), pattern);
      }
      for (String pattern : List.of("*.bin", "train.xmi", "/models", ".*")) {
        assertEquals(false, run(engine, text, pattern), pattern);
      }
    }
  }

  private static Object run(QueryEngine engine, String text, String... patterns) throws Exception {
    return MODEL.run(engine, Language.EOL, text, new QueryScope(List.of(patterns), List.of()));
  }

  private static Set<String> reads(String logic, long node) throws Exception {
    ModelGraph.Accesses accesses = new ModelGraph.Accesses();
    try (GraphReader reader = MODEL.graph.read()) {
      Derivation.parse(logic, new GraphTokens(MODEL.graph, MODEL.catalog))
          .evaluate(reader, node, accesses);
    }
    return new TreeSet<>(accesses.read);
  }

  @Test
  void derivationsTellWhatTheyRead() throws Exception {
    long sw = node("Switch");
    Catalog.Type segment = MODEL.catalog.named("Segment").get(0);
    assertEquals(Set.of(sw + ".monitoredBy"), reads("self.monitoredBy.isEmpty()", sw));
    assertEquals(
        Set.of(sw + ".monitoredBy", sw + ".id"),
        reads("var n = self.monitoredBy.size(); return n + self.id;", sw));
    assertEquals(Set.of(sw + ".isMonitored"), reads("self.isMonitored", sw));
    assertEquals(Set.of(sw + ".eContainer"), reads("self.eContainer.isDefined()", sw));
    assertEquals(Set.of(sw + ".revRefNav_target"), reads("self.revRefNav_target.size()", sw));
    assertEquals(Set.of("type " + segment.node()), reads("Segment.all.size()", sw));
    assertEquals(Set.of(sw + ".ofType"), reads("self.isKindOf(Segment)", sw));
    // an index would not tell which elements decided
    Set<String> all = reads("Segment.all.select(s | s.length = 7).size()", sw);
    assertTrue(all.size() > 100 && all.contains("type " + segment.node()));
    // interpreted as compiled
    assertEquals(
        Set.of(sw + ".monitoredBy", sw + ".ofType"),
        reads(
            "var n = 0; while (n < 1) { n = n + 1; }"
                + " return self.monitoredBy.isEmpty() and self.isTypeOf(Segment) or"
                + " self.isTypeOf(Segment);",
            sw));
  }

  @Test
  void derivationsFailWithAPlace() throws Exception {
    long sw = node("Switch");
    try (GraphReader reader = MODEL.graph.read()) {
      Derivation bad = Derivation.parse("self.foo", new GraphTokens(MODEL.graph, MODEL.catalog));
      for (int i = 0; i < 3; i++) {
        FailedQueryException e =
            assertThrows(
                FailedQueryException.class,
                () -> bad.evaluate(reader, sw, new ModelGraph.Accesses()));
        assertTrue(e.getMessage().contains("line 1, column 1"), e.getMessage());
      }
    }
    InvalidQueryException e =
        assertThrows(
            InvalidQueryException.class,
            () -> Derivation.parse("self.", new GraphTokens(MODEL.graph, MODEL.catalog)));
    assertTrue(e.getMessage().contains("line 1"), e.getMessage());
  }

  private static long node(String type) throws Exception {
    QueryEngine engine = new QueryEngine(MODEL.graph, MODEL.catalog, Fidelity.IMPROVED);
    return engine.run(
        Language.EOL,
        "return " + type + ".all.first();",
        QueryScope.ALL,
        new Cancellation(),
        (result, reader) -> ((Element) result).node());
  }
}
