package org.modelstress.models;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.ocl.EvaluationHaltedException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.modelstress.models.eol.EolQuery;
import org.modelstress.models.epl.EplQuery;
import org.modelstress.models.ocl.OclQuery;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

/** What OclQuery, EolQuery and EplQuery say about texts and results that are wrong. */
class QueryErrorsTest {
  private static EObject root;

  @BeforeAll
  static void generate(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("m.bin");
    ModelFiles.save(
        TrainGenerator.generate(Line.LINE_2017, Scenario.REPAIR, 1, TrainGenerator.DEFAULT_SEED),
        file);
    root = ModelFiles.load(file);
  }

  private static List<EObject> ocl(String text, String... tuple) throws QueryException {
    return OclQuery.parse(text, Metamodels.registry()).evaluate(root, List.of(tuple));
  }

  private static List<EObject> eol(String text, String... tuple) throws QueryException {
    return EolQuery.parse(text).evaluate(root, List.of(tuple));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "railway::Segment.allInstances(; line 1, column",
        "railway::Segment.allInstances()\\n->select(s | s.nothing > 1); line 2, column 16: ",
        "railway::Segment.allInstances()\\n->select(s | s.length ~~ 0); line 2, column 23: ",
        "-- a comment\\nNothing::Here.allInstances(); line 2, column 1: ",
        "railway::Nothing.allInstances(); line 1, column 1: ",
        "'open; line 1, column 1: "
      })
  void malformedOcl(String text, String where) {
    String lines = text.replace("\\n", "\n");
    String message = assertThrows(QueryException.class, () -> ocl(lines, "s")).getMessage();
    assertTrue(message.startsWith("Malformed OCL: " + where), message);
    assertFalse(message.contains("\n"), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "1; not a collection",
        "railway::Route.allInstances()->collect(r | r.entry); null",
        "railway::Route.allInstances()->collect(r | r.entry.signal); invalid",
        "railway::Route.allInstances()->collect(r | Tuple{s = r.entry}); part s of a match of the OCL query is null",
        "railway::Route.allInstances()->collect(r | Tuple{r = r}); no part named s",
        "railway::Route.allInstances()->collect(r | r.id); no element",
        "railway::Route.allInstances()->collect(r | 1.div(0)); invalid"
      })
  void wrongOclResult(String text, String what) {
    String message = assertThrows(QueryException.class, () -> ocl(text, "s")).getMessage();
    assertTrue(message.contains(what), message);
  }

  @Test
  void plainObjectsAreNoTuples() {
    String text = "railway::Route.allInstances()";
    String message = assertThrows(QueryException.class, () -> ocl(text, "a", "b")).getMessage();
    assertTrue(message.contains("not a Tuple of [a, b]"), message);
  }

  @Test
  void oclTuplePartsComeInTheGivenOrder() throws Exception {
    String text = "railway::Route.allInstances()->collect(r | Tuple{a = r, b = r.exit})";
    List<EObject> flat = ocl(text, "b", "a");
    assertEquals(10, flat.size());
    for (int i = 0; i < flat.size(); i += 2) {
      assertEquals("Semaphore", flat.get(i).eClass().getName());
      assertEquals("Route", flat.get(i + 1).eClass().getName());
    }
  }

  /** The extents of a store: filled when asked for. */
  @Test
  void oclOverGivenExtents() throws Exception {
    List<String> asked = new ArrayList<>();
    Map<EClass, Set<EObject>> extents =
        new AbstractMap<>() {
          @Override
          public Set<EObject> get(Object type) {
            asked.add(((EClass) type).getName());
            Set<EObject> instances = new HashSet<>();
            root.eAllContents()
                .forEachRemaining(
                    e -> {
                      if (((EClass) type).isInstance(e)) {
                        instances.add(e);
                      }
                    });
            return instances;
          }

          @Override
          public Set<Entry<EClass, Set<EObject>>> entrySet() {
            throw new UnsupportedOperationException();
          }
        };
    OclQuery query = OclQuery.parse(TrainQueries.text("ocl", "PosLength"), Metamodels.registry());
    assertEquals(52, query.evaluate(extents, List.of("segment")).size());
    assertEquals(List.of("Segment"), asked);
  }

  @Test
  void aStoreCanStopAnOclQueryWithItsOwnMessage() throws Exception {
    Map<EClass, Set<EObject>> extents =
        new AbstractMap<>() {
          @Override
          public Set<EObject> get(Object type) {
            throw new EvaluationHaltedException("the disk is gone");
          }

          @Override
          public Set<Entry<EClass, Set<EObject>>> entrySet() {
            throw new UnsupportedOperationException();
          }
        };
    OclQuery query = OclQuery.parse("railway::Route.allInstances()", Metamodels.registry());
    QueryException stopped =
        assertThrows(QueryException.class, () -> query.evaluate(extents, List.of("r")));
    assertTrue(stopped.getMessage().contains("the disk is gone"), stopped.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "return Segment.all.select(s |\\n s.length > ); line 2, column 11: ",
        "return 'open; line 1, column ",
        "if (true {; line 1, column "
      })
  void malformedEol(String text, String where) {
    String lines = text.replace("\\n", "\n");
    String message = assertThrows(QueryException.class, () -> eol(lines, "s")).getMessage();
    assertTrue(message.startsWith("Malformed EOL: " + where), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '"',
      value = {
        "return 1;#not a collection",
        "var x = 1;#not a collection",
        "return Route.all.collect(r | r.entry);#no element but null",
        "return Route.all.collect(r | Sequence{r, r});#has 2 parts",
        "return Segment.all.select(s | s.nothing > 1);#line 1",
        "return Segment.all.select(s | s.nothing > 1);#in object a Segment",
        "return Segment.all.first();#not a collection but a Segment.",
        "return Nope.all;#Nope",
        "return Signal.all;#Signal"
      })
  void wrongEolResult(String text, String what) {
    String message = assertThrows(QueryException.class, () -> eol(text, "s")).getMessage();
    assertTrue(message.contains(what), message);
    assertFalse(message.contains("Impl@"), "an address says nothing to people: " + message);
  }

  private static List<EObject> epl(String text, String... tuple) throws QueryException {
    return EplQuery.parse(text).evaluate(root, List.of(tuple));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "pattern P\\n s : Segment guard : s.length > {}; line 2, column ",
        "pattern P\\n active : Segment {}; line 2, column 2: ",
        "return 1!; line 1, column ",
        "// no pattern; line 1, column 1: there is no pattern"
      })
  void malformedEpl(String text, String where) {
    String lines = text.replace("\\n", "\n");
    String message = assertThrows(QueryException.class, () -> epl(lines, "s")).getMessage();
    assertTrue(message.startsWith("Malformed EPL: " + where), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '"',
      value = {
        "pattern P r : Route {}#The pattern P of the EPL query has no role s.",
        "pattern P s : Segment guard : s.nothing > 1 {}#failed at line 1",
        "pattern P s : Nope {}#Nope",
        "pattern P s : Route, t : Route from : s.exit {}#no role x"
      })
  void wrongEplResult(String text, String what) {
    String[] tuple = what.endsWith("x") ? new String[] {"s", "x"} : new String[] {"s"};
    String message = assertThrows(QueryException.class, () -> epl(text, tuple)).getMessage();
    assertTrue(message.contains(what), message);
  }

  /** Several patterns add up, and roles come in the given order, whatever theirs is. */
  @Test
  void eplPatternsAddUp() throws Exception {
    String text = "pattern P a : Route, b : Semaphore from : a.exit {}";
    List<EObject> once = epl(text, "b", "a");
    assertEquals(10, once.size());
    assertEquals("Semaphore", once.get(0).eClass().getName());
    assertEquals("Route", once.get(1).eClass().getName());
    assertEquals(20, epl(text + "\n" + text.replace("P a", "Q a"), "b", "a").size());
  }

  /** Results of cached operations must not be a result cache across executions. */
  @Test
  void anEolQuerySeesChangesOfTheModel() throws Exception {
    EolQuery query =
        EolQuery.parse(
            "return Route.all.select(r | r.isActive());"
                + "\n@cached\noperation Route isActive() : Boolean { return self.active; }");
    assertEquals(5, query.evaluate(root, List.of("r")).size());
    EObject route = new ElementIndex(root).element(1);
    route.eSet(route.eClass().getEStructuralFeature("active"), false);
    try {
      assertEquals(4, query.evaluate(root, List.of("r")).size());
    } finally {
      route.eSet(route.eClass().getEStructuralFeature("active"), true);
    }
  }

  /** Servers evaluate in many threads over one model. */
  @Test
  void manyThreadsOneModel() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(8);
    try {
      List<Future<List<EObject>>> results = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        boolean even = i % 2 == 0;
        results.add(
            pool.submit(
                () ->
                    even
                        ? ocl(
                            TrainQueries.text("ocl", "RouteSensor"), "route", "sensor", "swP", "sw")
                        : eol(
                            TrainQueries.text("eol", "RouteSensor"),
                            "route",
                            "sensor",
                            "swP",
                            "sw")));
      }
      ElementIndex index = new ElementIndex(root);
      Set<Long> digests = new HashSet<>();
      for (Future<List<EObject>> result : results) {
        digests.add(Oracle.digest(index.indicesOf(result.get(60, TimeUnit.SECONDS)), 4));
      }
      assertEquals(1, digests.size());
      assertTrue(root.eResource().eAdapters().isEmpty() && root.eAdapters().isEmpty());
    } finally {
      pool.shutdownNow();
    }
  }
}
