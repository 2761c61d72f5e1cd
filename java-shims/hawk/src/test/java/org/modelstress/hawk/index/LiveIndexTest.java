package org.modelstress.hawk.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.modelstress.hawk.index.TrainFixture.all;
import static org.modelstress.hawk.index.TrainFixture.list;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.emf.ecore.EObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.graph.neo4j.Neo4jBackend;
import org.modelstress.hawk.index.LiveIndex.State;
import org.modelstress.hawk.query.Language;
import org.modelstress.hawk.query.QueryScope;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.QueryCancelledException;

/** Queries, updates and management of one index at a time, on Neo4j. */
@Timeout(120)
class LiveIndexTest {
  private static final String SEGMENTS = "return Segment.all.size();";

  @TempDir Path folder;
  private EObject root;
  private Path model;
  private LiveIndex index;
  private ExecutorService threads;

  @BeforeEach
  void open() throws Exception {
    root = TrainFixture.model(7);
    model = TrainFixture.save(root, folder.resolve("model.xmi"));
    Neo4jBackend backend = new Neo4jBackend();
    TrainFixture.build(model, List.of(), backend, folder.resolve("live"));
    index = TrainFixture.open(backend, folder.resolve("live"));
    threads = Executors.newCachedThreadPool();
  }

  @AfterEach
  void close() throws Exception {
    index.close();
    threads.shutdownNow();
    assertTrue(threads.awaitTermination(10, TimeUnit.SECONDS));
  }

  private Object query(String text) throws Exception {
    return query(text, new CountDownLatch(0), new CountDownLatch(0));
  }

  /** Runs a query that tells when it has its result and then waits. */
  private Object query(String text, CountDownLatch there, CountDownLatch go) throws Exception {
    return index.query(
        Language.EOL,
        text,
        QueryScope.ALL,
        new Cancellation(),
        (result, reader) -> {
          there.countDown();
          try {
            go.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return result instanceof Number number ? (Object) number.intValue() : result;
        });
  }

  private int segments() {
    return all(root, "Segment").size();
  }

  @Test
  void aQueryUnderWayLetsOthersInWhileAnUpdateWaitsForIt() throws Exception {
    CountDownLatch there = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    final int before = segments();
    Future<Object> early = threads.submit(() -> query(SEGMENTS, there, go));
    assertTrue(there.await(30, TimeUnit.SECONDS));
    list(list(root, "regions").get(0), "elements").add(TrainFixture.create("Segment"));
    TrainFixture.save(root, model);
    index.synchronise(false); // waits for the early query
    assertEquals(State.UPDATING, index.state());
    assertTrue(index.message().contains("updating"), index.message());
    for (int i = 0; i < 30; i++) { // longer than a query under way is young
      assertEquals(before, query(SEGMENTS));
      Thread.sleep(100);
    }
    NotRunningException refused =
        assertThrows(NotRunningException.class, () -> index.synchronise(true));
    assertTrue(refused.getMessage().contains("updating"), refused.getMessage());
    go.countDown();
    assertEquals(before, early.get(30, TimeUnit.SECONDS));
    awaitRunning();
    assertEquals(before + 1, query(SEGMENTS));
    assertEquals(1, index.lastUpdate().created());
  }

  @Test
  void anUpdateHasItsTurnUnderSteadyQueries() throws Exception {
    AtomicBoolean go = new AtomicBoolean(true);
    List<Future<Object>> clients = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      clients.add(
          threads.submit(
              () -> {
                int refused = 0;
                while (go.get()) {
                  try {
                    query(SEGMENTS);
                  } catch (NotRunningException e) {
                    refused++;
                    Thread.sleep(1);
                  }
                }
                return refused;
              }));
    }
    final int before = segments();
    list(list(root, "regions").get(0), "elements").add(TrainFixture.create("Segment"));
    TrainFixture.save(root, model);
    index.synchronise(true);
    go.set(false);
    for (Future<Object> client : clients) {
      client.get(30, TimeUnit.SECONDS);
    }
    assertEquals(before + 1, query(SEGMENTS));
  }

  private void awaitRunning() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (index.state() != State.RUNNING && System.nanoTime() < end) {
      Thread.sleep(10);
    }
    assertEquals(State.RUNNING, index.state(), index.message());
  }

  @Test
  void aStoppedIndexAnswersAfterStart() throws Exception {
    index.stop();
    assertEquals(State.STOPPED, index.state());
    NotRunningException refused = assertThrows(NotRunningException.class, () -> query(SEGMENTS));
    assertTrue(refused.getMessage().contains("stopped"), refused.getMessage());
    assertThrows(NotRunningException.class, () -> index.synchronise(true));
    index.start();
    assertEquals(segments(), query(SEGMENTS));
  }

  @Test
  void attributesComeAndGo() throws Exception {
    AttributeDeclaration derived =
        AttributeDeclaration.of(
            TrainFixture.entry("Sensor", "n", "Integer", "self.monitors.size()"));
    String sum = "return Sensor.all.collect(s | s.n).sum();";
    index.declare(derived);
    int monitored = all(root, "Sensor").stream().mapToInt(s -> list(s, "monitors").size()).sum();
    assertEquals(monitored, query(sum));
    assertEquals(
        all(root, "Sensor").stream().filter(s -> list(s, "monitors").size() > 5).count(),
        ((Integer) query("return Sensor.all.select(s | s.n > 5).size();")).longValue());
    refused(derived, "declared already");
    index.withdraw(derived);
    assertThrows(Exception.class, () -> query(sum));
    assertThrows(IllegalArgumentException.class, () -> index.withdraw(derived));
    assertTrue(index.graph().indices().isEmpty(), index.graph().indices().toString());
    index.declare(derived);
    assertEquals(monitored, query(sum));
  }

  @ParameterizedTest
  @ValueSource(strings = {"while (true) {}", "var s = Sequence{}; while (true) { s.add(s); }"})
  void anEndlessLogicCanBeCancelledAndLeavesNothing(String logic) throws Exception {
    AttributeDeclaration endless = derived("Sensor", "n", "Integer", logic + " return 1;");
    Cancellation cancellation = new Cancellation();
    Future<?> declaring =
        threads.submit(
            () -> {
              index.declare(endless, cancellation);
              return null;
            });
    while (index.state() == State.RUNNING) {
      Thread.sleep(1);
    }
    cancellation.cancel();
    Exception e = assertThrows(ExecutionException.class, () -> declaring.get(30, TimeUnit.SECONDS));
    assertInstanceOf(QueryCancelledException.class, e.getCause());
    assertEquals(segments(), query(SEGMENTS));
    assertTrue(index.graph().indices().isEmpty(), index.graph().indices().toString());
    index.declare(derived("Sensor", "n", "Integer", "1"));
    assertEquals(
        all(root, "Sensor").size(), query("return Sensor.all.select(s | s.n = 1).size();"));
  }

  @Test
  void declarationsThatDoNotFitAreRefused() throws Exception {
    refused(derived("Signalman", "n", "Integer", "1"), "Signalman");
    refused(derived("Sensor", "id", "Integer", "1"), "feature of this name");
    refused(derived("TrackElement", "length", "Integer", "1"), "feature of this name");
    refused(derived("Sensor", "n", "Integer", "self.monitors.select("), "logic of n");
    Map<String, Object> unknown =
        Map.of("kind", "indexed", "metamodel", TrainFixture.NS_URI, "type", "Segment", "name", "x");
    refused(AttributeDeclaration.of(unknown), "no attribute of this name");
    assertEquals(segments(), query(SEGMENTS));
  }

  private static AttributeDeclaration derived(
      String type, String name, String valueType, String logic) {
    return AttributeDeclaration.of(TrainFixture.entry(type, name, valueType, logic));
  }

  private void refused(AttributeDeclaration declaration, String part) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> index.declare(declaration));
    assertTrue(refused.getMessage().contains(part), refused.getMessage());
    assertEquals(State.RUNNING, index.state());
  }

  @Test
  void indexedAttributesFindUnsetOnesByTheirDefault() throws Exception {
    EObject segment = all(root, "Segment").get(0);
    segment.eUnset(TrainFixture.feature(segment, "length"));
    TrainFixture.save(root, model);
    index.synchronise(true);
    String text = "return Segment.all.select(s | s.length <= 0).size();";
    Object plain = query(text);
    index.declare(AttributeDeclaration.of(TrainFixture.entries().get(0)));
    assertEquals(plain, query(text));
    assertEquals(1, query("return Segment.all.select(s | s.length = 0).size();"));
  }

  @Test
  void metamodelsComeAndGo() throws Exception {
    String base =
        ecore("base", "http://base", "", "<eClassifiers xsi:type='ecore:EClass' name='A'/>");
    String user =
        ecore(
            "user",
            "http://user",
            "",
            "<eClassifiers xsi:type='ecore:EClass' name='B' eSuperTypes='http://base#//A'/>"
                + "<eSubpackages name='inner' nsURI='http://user/inner' nsPrefix='i'>"
                + "<eClassifiers xsi:type='ecore:EClass' name='C' eSuperTypes='#//B'/>"
                + "</eSubpackages>");
    assertThrows(IllegalArgumentException.class, () -> index.registerMetamodel(user));
    index.registerMetamodel(base);
    index.registerMetamodel(user);
    assertTrue(index.catalog().named("C").get(0).isKindOf(index.catalog().named("A").get(0)));
    assertEquals(0, query("return A.all.size();"));
    assertThrows(IllegalArgumentException.class, () -> index.registerMetamodel(base));
    assertThrows(IllegalArgumentException.class, () -> index.registerMetamodel("<nothing/>"));
    assertThrows(IllegalArgumentException.class, () -> index.unregisterMetamodel("http://base"));
    assertThrows(
        IllegalArgumentException.class, () -> index.unregisterMetamodel(TrainFixture.NS_URI));
    index.unregisterMetamodel("http://user");
    index.unregisterMetamodel("http://base");
    assertThrows(IllegalArgumentException.class, () -> index.unregisterMetamodel("http://base"));
    assertTrue(index.catalog().named("A").isEmpty());
    assertEquals(segments(), query(SEGMENTS));
  }

  private static String ecore(String name, String nsUri, String doctype, String content) {
    return "<?xml version='1.0' encoding='UTF-8'?>"
        + doctype
        + "<ecore:EPackage xmi:version='2.0' xmlns:xmi='http://www.omg.org/XMI'"
        + " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'"
        + " xmlns:ecore='http://www.eclipse.org/emf/2002/Ecore'"
        + (" name='" + name + "' nsURI='" + nsUri + "' nsPrefix='p'>")
        + content
        + "</ecore:EPackage>";
  }

  @Test
  void aMetamodelWithADocumentTypeIsRefused() {
    String evil = ecore("evil", "http://evil", "<!DOCTYPE x [<!ENTITY y 'z'>]>", "");
    assertThrows(IllegalArgumentException.class, () -> index.registerMetamodel(evil));
  }

  @Test
  void closingEndsQueriesUnderWay() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    Future<Object> endless =
        threads.submit(
            () -> {
              started.countDown();
              return query("while (true) { Segment.all.size(); }");
            });
    assertTrue(started.await(10, TimeUnit.SECONDS));
    Thread.sleep(300);
    long begin = System.nanoTime();
    index.close();
    assertThrows(Exception.class, () -> endless.get(10, TimeUnit.SECONDS));
    assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(20));
    index = TrainFixture.open(new Neo4jBackend(), folder.resolve("live"));
    assertEquals(segments(), query(SEGMENTS));
  }
}
