package org.modelstress.mogwai.gremlin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tinkerpop.blueprints.Vertex;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.eclipse.emf.ecore.EEnumLiteral;
import org.eclipse.ocl.util.Bag;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.models.Metamodels;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;
import org.modelstress.queries.QueryCancelledException;

/** What the engine does besides evaluating: results' classes, errors, cache, threads, the end. */
@Timeout(120)
class QueryEngineTest {
  private static LoadedModel model;

  @BeforeAll
  static void load() throws Exception {
    model =
        new LoadedModel(
            TrainGenerator.generate(
                Line.LINE_2016, Scenario.REPAIR, 1, TrainGenerator.DEFAULT_SEED),
            Metamodels.registry());
  }

  @AfterAll
  static void close() {
    model.close();
  }

  private static QueryEngine engine(int cached) {
    return new QueryEngine(model.graph(), cached);
  }

  private static Object run(String query) throws Exception {
    return engine(8).run(query, new Cancellation());
  }

  @Test
  void resultsHaveTheClassesThatAreDocumented() throws Exception {
    assertInstanceOf(Vertex.class, run("railway::Route.allInstances()->asSequence()->first()"));
    assertInstanceOf(EEnumLiteral.class, run("railway::Signal::GO"));
    assertInstanceOf(Set.class, run("railway::Route.allInstances()"));
    assertInstanceOf(LinkedHashSet.class, run("railway::Route.allInstances()->sortedBy(id)"));
    assertInstanceOf(List.class, run("Sequence{1..3}"));
    assertInstanceOf(Bag.class, run("railway::Route.allInstances()->collect(id)"));
    assertInstanceOf(Long.class, run("2147483647 + 1"));
    Map<?, ?> tuple = (Map<?, ?>) run("Tuple{z = 1, a = 'x'}");
    assertEquals(List.of("z", "a"), List.copyOf(tuple.keySet()));
    assertEquals(null, run("null"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "railway::Route.allInstances(                ; line 1, column 1",
        "railway::Rute.allInstances()                ; line 1, column 1: Unknown type ([railway, Rute])",
        "railway::Route.allInstances()->collect(x | x.nix) ; line 1, column 46: Unrecognized variable: (nix)",
        "railway::Route.allInstances()->collect(x | x.revRefNav_nix) ; (revRefNav_nix)",
        "self                                        ; line 1, column 1: The variable self is not",
        "ecore::EObject.allInstances()->collect(r | r.eContainer()) ; line 1, column 46: The operation eContainer of",
        "'a'.toString().matches('b')                 ; line 1, column 16: The operation matches of String",
        "Set{1, *}->size()                           ; UnlimitedNatural",
      })
  void errorsNameConstructAndPosition(String query, String message) {
    InvalidQueryException e =
        assertThrows(InvalidQueryException.class, () -> engine(8).check(query));
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }

  @Test
  void positionsCountLines() {
    String query = "ecore::EObject.allInstances()\n  ->collect(r |\n    r.eContainer())";
    InvalidQueryException e =
        assertThrows(InvalidQueryException.class, () -> engine(8).check(query));
    assertTrue(e.getMessage().contains("line 3, column 7"), e.getMessage());
  }

  @Test
  void invalidIsAFailure() {
    for (String query : List.of("invalid", "Tuple{a = invalid}", "Sequence{1}->at(7)")) {
      FailedQueryException e = assertThrows(FailedQueryException.class, () -> run(query));
      assertTrue(e.getMessage().contains("invalid"), e.getMessage());
    }
  }

  @Test
  void aQueryThatMakesAHugeTextFailsAlone() throws Exception {
    String doubling = "Sequence{1..40}->iterate(i; s : String = 'ab' | s.concat(s)).size()";
    FailedQueryException failure = assertThrows(FailedQueryException.class, () -> run(doubling));
    assertTrue(failure.getMessage().contains("4000000 characters"), failure.getMessage());
    assertEquals(5, run("railway::Route.allInstances()->size()"));
  }

  @Test
  void theCacheIsBounded() throws Exception {
    QueryEngine engine = engine(5);
    for (int i = 0; i < 50; i++) {
      assertEquals(i, engine.run("0 + " + i, new Cancellation()));
      assertTrue(engine.kept() <= 5, () -> "kept " + engine.kept());
    }
    assertTrue(engine.kept() > 0);
    QueryEngine none = engine(0);
    none.check("1");
    assertEquals(0, none.kept());
  }

  /** Without a lock: what parsers share is complete before the first of them begins. */
  @Test
  void manyThreadsCompileAtOnce() throws Exception {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 150; i++) {
      texts.add("railway::Route.allInstances()->select(r | r.id + " + i + " > 0)->size() + " + i);
      texts.add("Sequence{1.." + (i + 2) + "}->collect(x | Tuple{a = x, b = 'x'})->size()");
      texts.add("railway::Nix" + i + ".allInstances()");
    }
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<String>> tasks = new ArrayList<>();
      for (String text : texts) {
        tasks.add(() -> outcome(text));
      }
      List<Future<String>> results = threads.invokeAll(tasks, 100, TimeUnit.SECONDS);
      for (int i = 0; i < texts.size(); i++) {
        assertEquals(outcome(texts.get(i)), results.get(i).get(), texts.get(i));
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static String outcome(String text) throws Exception {
    try {
      return String.valueOf(run(text));
    } catch (InvalidQueryException e) {
      return e.getMessage();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Sequence{1..2000000000}->forAll(x | x > 0)",
        "Sequence{1..2000000000}->sum()",
        "Sequence{1..2000000000}->includes(-1)",
        "Sequence{1..2000000000}->count(-1)",
        "Sequence{1..1000000}->asOrderedSet()->asSequence()"
            + "->includesAll(Sequence{1..1000000}->asOrderedSet()->asSequence())",
        "Sequence{1..1000000}->collect(x | x)->asSequence()->excludesAll(Sequence{-1000000..-1})",
        "Sequence{1..100000}->product(Sequence{1..100000})->size()",
      })
  void aCancelledOperationEnds(String query) throws Exception {
    Cancellation cancellation = new Cancellation();
    ExecutorService one = Executors.newSingleThreadExecutor();
    try {
      Future<Object> running = one.submit(() -> engine(8).run(query, cancellation));
      Thread.sleep(300);
      cancellation.cancel();
      Exception e = assertThrows(Exception.class, () -> running.get(30, TimeUnit.SECONDS), query);
      assertInstanceOf(QueryCancelledException.class, e.getCause(), query);
    } finally {
      one.shutdownNow();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Sequence{-2000000000..2000000000}->size()",
        "Sequence{1..40}->iterate(i; s : String = 'ab' | s + s).size()",
        "Sequence{1..40}->iterate(i; s : String = 'ab' | s.substituteAll('a', 'aaaa')).size()",
        "Sequence{1..40}->iterate(i; s : String = 'ab' | s.substituteAll('', 'aaaa')).size()",
      })
  void whatIsTooLargeIsRefused(String query) throws Exception {
    FailedQueryException e = assertThrows(FailedQueryException.class, () -> run(query));
    assertTrue(e.getMessage().contains("at most"), e.getMessage());
  }

  @Test
  void substitutionsAreThoseOfOcl() throws Exception {
    assertEquals("xaxbx", run("'ab'.substituteAll('', 'x')"));
    assertEquals("bb", run("'abab'.substituteAll('a', '')"));
  }

  @Test
  void typesOfManyLevelsAreRefused() throws Exception {
    String nested = "Sequence{".repeat(12) + "1" + "}".repeat(12) + "->size()";
    InvalidQueryException e = assertThrows(InvalidQueryException.class, () -> run(nested));
    assertTrue(e.getMessage().contains("levels"), e.getMessage());
  }

  @Test
  void aCancelledQueryEnds() throws Exception {
    Cancellation cancellation = new Cancellation();
    ExecutorService one = Executors.newSingleThreadExecutor();
    try {
      // 1.4e9 combinations
      String query =
          "railway::RailwayElement.allInstances()->forAll(a, b |"
              + " railway::RailwayElement.allInstances()->forAll(c | a.id + b.id + c.id > 0))";
      Future<Object> running = one.submit(() -> engine(8).run(query, cancellation));
      Thread.sleep(Duration.ofMillis(300).toMillis());
      assertTrue(!running.isDone());
      cancellation.cancel();
      Exception e = assertThrows(Exception.class, () -> running.get(30, TimeUnit.SECONDS));
      assertInstanceOf(QueryCancelledException.class, e.getCause());
    } finally {
      one.shutdownNow();
    }
  }

  @Test
  void manyThreadsShareAnEngine() throws Exception {
    QueryEngine engine = engine(3);
    List<String> queries =
        List.of(
            "railway::Segment.allInstances()->select(length < 100)->collect(s | s.connectsTo)",
            "railway::Route.allInstances()->collect(r | r.follows->collect(p | Tuple{r = r, p = p}))",
            "railway::Sensor.allInstances()->select(s | s.revRefNav_requires->isEmpty())",
            "railway::Switch.allInstances()->collect(s | s.monitoredBy->exists(m | m.id > 500))",
            "railway::Route.allInstances()->closure(follows.target.positions.route)->size()");
    List<String> expected = queries.stream().map(model::inMemory).toList();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<String>> tasks = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        String query = queries.get(i % queries.size());
        tasks.add(() -> model.inGraph(engine, query));
      }
      List<Future<String>> results = threads.invokeAll(tasks, 100, TimeUnit.SECONDS);
      for (int i = 0; i < results.size(); i++) {
        assertEquals(expected.get(i % queries.size()), results.get(i).get());
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
