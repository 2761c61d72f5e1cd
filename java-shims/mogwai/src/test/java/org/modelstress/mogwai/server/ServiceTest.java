package org.modelstress.mogwai.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.thrift.TApplicationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.hawk.api.HawkInstanceNotFound;
import org.modelstress.hawk.api.HawkMetamodelNotFound;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.HawkState;
import org.modelstress.hawk.api.HawkTypeNotFound;
import org.modelstress.hawk.api.IndexedAttributeSpec;
import org.modelstress.hawk.api.InvalidQuery;
import org.modelstress.hawk.api.QueryReport;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.hawk.api.UnknownQueryLanguage;
import org.modelstress.models.Metamodels;
import org.modelstress.mogwai.driver.MogwaiDriver;
import org.modelstress.thrift.client.ApiClient;

/** Hawk's API over NeoEMF, called through the network. */
@Timeout(120)
class ServiceTest {
  private static final String URI = Metamodels.train().getNsURI();
  private static final HawkQueryOptions OPTIONS = new HawkQueryOptions();

  /** Takes minutes, and can be cancelled. */
  private static final String LONG =
      "railway::Segment.allInstances()->collect(a | railway::Segment.allInstances()->collect(b |"
          + " railway::Segment.allInstances()->select(c | c.length = a.length + b.length)->size())->sum())"
          + "->sum()";

  @TempDir private static Path folder;
  private static Served served;

  @BeforeAll
  static void start() throws Exception {
    served =
        Served.start(
            folder, Map.of("max_threads", 3, "max_async_queries", 4, "async_timeout_s", 4));
  }

  @AfterAll
  static void stop() {
    served.close();
  }

  private static QueryResult result(ApiClient client, String text) throws Exception {
    return client.query(Served.INSTANCE, text, MogwaiDriver.OCL, OPTIONS);
  }

  private static String begin(ApiClient client, String text) throws Exception {
    return client.asyncQuery(Served.INSTANCE, text, MogwaiDriver.OCL, OPTIONS);
  }

  @Test
  void listsWhatThereIs() throws Exception {
    try (ApiClient client = served.client()) {
      assertEquals(1, client.listInstances().size());
      assertEquals(Served.INSTANCE, client.listInstances().get(0).getName());
      assertEquals(HawkState.RUNNING, client.listInstances().get(0).getState());
      assertEquals(List.of("neoemf"), client.listBackends());
      assertEquals(List.of("neoemf", MogwaiDriver.OCL), client.listPlugins());
      assertEquals(2, client.listPluginDetails().size());
      assertEquals(List.of(MogwaiDriver.OCL), client.listQueryLanguages(Served.INSTANCE));
      assertEquals(List.of(URI), client.listMetamodels(Served.INSTANCE));
      List<String> types = client.listTypeNames(Served.INSTANCE, URI);
      assertTrue(types.containsAll(Set.of("RailwayElement", "Route", "Segment")), types.toString());
      assertEquals(
          Set.of("id", "length"),
          Set.copyOf(client.listAttributeNames(Served.INSTANCE, URI, "Segment")));
    }
  }

  @Test
  void failuresAreHawksOwn() throws Exception {
    try (ApiClient client = served.client()) {
      for (Executable call :
          List.<Executable>of(
              () -> client.query("other", "1", MogwaiDriver.OCL, OPTIONS),
              () -> client.asyncQuery("other", "1", MogwaiDriver.OCL, OPTIONS),
              () -> client.getModel("other", OPTIONS),
              () -> client.listMetamodels("other"))) {
        assertEquals("other", assertThrows(HawkInstanceNotFound.class, call).getInstanceName());
      }
      assertEquals(
          "OCL",
          assertThrows(
                  UnknownQueryLanguage.class,
                  () -> client.query(Served.INSTANCE, "1", "OCL", OPTIONS))
              .getQueryLanguage());
      for (String text : List.of("\n  1 +", "\n  railway::Segment.allInstances()->nothing()")) {
        InvalidQuery invalid = assertThrows(InvalidQuery.class, () -> result(client, text));
        assertTrue(invalid.getReason().contains("line 2"), invalid.getReason());
        assertEquals(
            invalid.getReason(),
            assertThrows(InvalidQuery.class, () -> begin(client, text)).getReason());
      }
      FailedQuery failed = assertThrows(FailedQuery.class, () -> result(client, "1.div(0)"));
      assertTrue(failed.getReason().contains("invalid"), failed.getReason());
      assertThrows(
          HawkMetamodelNotFound.class, () -> client.listTypeNames(Served.INSTANCE, "urn:none"));
      assertThrows(
          HawkTypeNotFound.class, () -> client.listAttributeNames(Served.INSTANCE, URI, "None"));
      assertEquals(QueryResult.vInteger(1), result(client, "1"));
    }
  }

  @Test
  void whatItHasNotIsAnUnknownMethod() throws Exception {
    try (ApiClient client = served.client()) {
      Map<String, Executable> absent =
          Map.of(
              "syncInstance", () -> client.syncInstance(Served.INSTANCE, true),
              "stopInstance", () -> client.stopInstance(Served.INSTANCE),
              "listFiles", () -> client.listFiles(Served.INSTANCE, List.of(), List.of()),
              "addIndexedAttribute",
                  () ->
                      client.addIndexedAttribute(
                          Served.INSTANCE, new IndexedAttributeSpec(URI, "Segment", "length")));
      absent.forEach(
          (name, call) -> {
            TApplicationException told = assertThrows(TApplicationException.class, call, name);
            assertEquals(TApplicationException.UNKNOWN_METHOD, told.getType());
            assertTrue(told.getMessage().contains("Invalid method name"), told.getMessage());
            assertTrue(told.getMessage().contains(name), told.getMessage());
          });
      assertEquals(QueryResult.vInteger(1), result(client, "1"));
    }
  }

  @Test
  void aPartOfTheModelIsRefused() throws Exception {
    try (ApiClient client = served.client()) {
      for (HawkQueryOptions part :
          List.of(
              new HawkQueryOptions().setRepositoryPattern("file:///*"),
              new HawkQueryOptions().setFilePatterns(List.of("*.xmi")),
              new HawkQueryOptions().setDefaultNamespaces(URI))) {
        FailedQuery refused =
            assertThrows(
                FailedQuery.class,
                () -> client.query(Served.INSTANCE, "1", MogwaiDriver.OCL, part));
        assertTrue(refused.getReason().contains("leave"), refused.getReason());
      }
      HawkQueryOptions everything =
          new HawkQueryOptions().setFilePatterns(List.of("*")).setDefaultNamespaces("");
      assertEquals(
          QueryResult.vInteger(1),
          client.query(Served.INSTANCE, "1", MogwaiDriver.OCL, everything));
    }
  }

  @Test
  void scalarsCollectionsAndTuples() throws Exception {
    try (ApiClient client = served.client()) {
      assertEquals(QueryResult.vBoolean(true), result(client, "1 < 2"));
      assertEquals(QueryResult.vInteger(-7), result(client, "-7"));
      assertEquals(QueryResult.vDouble(2.5), result(client, "5 / 2"));
      assertEquals(QueryResult.vString("süß"), result(client, "'süß'"));
      assertEquals(QueryResult.vString("GO"), result(client, "railway::Signal::GO"));
      assertEquals(List.of(), result(client, "null").getVList());
      assertEquals(List.of(), result(client, "Set{}").getVList());
      assertEquals(
          List.of(QueryResult.vInteger(3), QueryResult.vInteger(1), QueryResult.vInteger(3)),
          result(client, "Sequence{3, 1, 3}").getVList());
      assertEquals(3, result(client, "Bag{'a', 'b', 'a'}").getVList().size());
      QueryResult tuple =
          result(
              client,
              "Tuple{a = 1, b = Sequence{true}, c = railway::Segment.allInstances()->any(true)}");
      assertEquals(Set.of("a", "b", "c"), tuple.getVMap().keySet());
      assertEquals(QueryResult.vInteger(1), tuple.getVMap().get("a"));
      assertEquals(List.of(QueryResult.vBoolean(true)), tuple.getVMap().get("b").getVList());
      assertEquals("Segment", tuple.getVMap().get("c").getVModelElement().getTypeName());
      assertEquals(40_000, result(client, "Sequence{1..40000}").getVList().size());
      QueryReport report =
          client.timedQuery(
              Served.INSTANCE, "railway::Switch.allInstances()->size()", MogwaiDriver.OCL, OPTIONS);
      assertEquals(QueryResult.vInteger(served.all("Switch").size()), report.getResult());
      assertTrue(report.getWallMillis() >= 0 && !report.isIsCancelled());
    }
  }

  @Test
  void anAsynchronousResultIsFetchedOnce() throws Exception {
    try (ApiClient client = served.client()) {
      String id = begin(client, "railway::Segment.allInstances()->size()");
      QueryReport report = client.fetchAsyncQueryResults(id);
      assertEquals(QueryResult.vInteger(served.all("Segment").size()), report.getResult());
      assertFalse(report.isIsCancelled());
      assertThrows(InvalidQuery.class, () -> client.fetchAsyncQueryResults(id));
      String failing = begin(client, "1.div(0)");
      assertThrows(FailedQuery.class, () -> client.fetchAsyncQueryResults(failing));
    }
  }

  @Test
  void cancellingEndsAQuery() throws Exception {
    try (ApiClient client = served.client()) {
      String id = begin(client, LONG);
      FailedQuery late = assertThrows(FailedQuery.class, () -> client.fetchAsyncQueryResults(id));
      assertTrue(late.getReason().contains("4 s"), late.getReason());
      client.cancelAsyncQuery(id);
      assertTrue(client.fetchAsyncQueryResults(id).isIsCancelled());
      assertEquals(QueryResult.vInteger(1), result(client, "1"));
    }
  }

  @Test
  void closingTheServerEndsWhatRuns() throws Exception {
    Served other = Served.start(folder.resolve("other"), Map.of());
    Thread waiting =
        new Thread(
            () -> {
              try (ApiClient client = other.client()) {
                result(client, LONG);
              } catch (Exception e) {
                return; // however it ends
              }
            });
    waiting.start();
    Thread.sleep(300);
    other.close();
    waiting.join(10_000);
    assertFalse(waiting.isAlive());
    for (int i = 0; i < 100 && isQueryRunning(); i++) {
      Thread.sleep(50);
    }
    assertFalse(isQueryRunning());
  }

  /** Whether a thread of a server is inside of the query engine. */
  private static boolean isQueryRunning() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(t -> t.getKey().getName().startsWith("thrift-tcp"))
        .flatMap(t -> List.of(t.getValue()).stream())
        .anyMatch(frame -> frame.getClassName().endsWith("gremlin.QueryEngine"));
  }
}
