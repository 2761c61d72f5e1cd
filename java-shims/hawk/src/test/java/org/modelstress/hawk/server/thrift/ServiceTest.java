package org.modelstress.hawk.server.thrift;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.TApplicationException;
import org.eclipse.emf.ecore.EObject;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.hawk.api.DerivedAttributeSpec;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.hawk.api.File;
import org.modelstress.hawk.api.HawkInstanceNotFound;
import org.modelstress.hawk.api.HawkInstanceNotRunning;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.HawkState;
import org.modelstress.hawk.api.IndexedAttributeSpec;
import org.modelstress.hawk.api.InvalidDerivedAttributeSpec;
import org.modelstress.hawk.api.InvalidIndexedAttributeSpec;
import org.modelstress.hawk.api.InvalidMetamodel;
import org.modelstress.hawk.api.InvalidQuery;
import org.modelstress.hawk.api.QueryReport;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.hawk.api.UnknownQueryLanguage;
import org.modelstress.hawk.driver.HawkDriver;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.index.TrainFixture;
import org.modelstress.thrift.client.ApiClient;
import org.modelstress.thrift.server.Servers;

/** Hawk's API over both databases, called through the network. */
@Timeout(120)
class ServiceTest {
  private static final String URI = TrainFixture.NS_URI;
  private static final HawkQueryOptions OPTIONS = new HawkQueryOptions();

  @TempDir private static Path folder;
  private static Served neo4j;
  private static Served orient;

  @BeforeAll
  static void start() throws Exception {
    for (Backend backend : Served.backends()) {
      Served served = Served.start(backend, folder.resolve(backend.name()), Map.of());
      if (backend.name().equals("neo4j")) {
        neo4j = served;
      } else {
        orient = served;
      }
    }
  }

  @AfterAll
  static void stop() throws Exception {
    neo4j.close();
    orient.close();
  }

  private static Served served(String backend) {
    return backend.equals("neo4j") ? neo4j : orient;
  }

  private static List<String> shortSegments(Served served) {
    return served.all("Segment").stream()
        .filter(s -> (Integer) Served.get(s, "length") <= 0)
        .map(s -> String.valueOf(served.elements.indexOf(s)))
        .sorted()
        .toList();
  }

  private static final String POS_LENGTH_EOL = "return Segment.all.select(s | s.length <= 0);";
  private static final String POS_LENGTH_EPL =
      "pattern PosLength segment : Segment { match : segment.length <= 0 }";

  private static List<String> indices(Served served, Outcome outcome) {
    assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
    return ((Ids.Strings) outcome.ids())
        .values().stream().map(id -> String.valueOf(served.ids.indexOf(id))).sorted().toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"neo4j", "orientdb"})
  void thirtyTwoClientsGetWhatTheModelHolds(String backend) throws Exception {
    Served served = served(backend);
    List<String> expected = shortSegments(served);
    assertTrue(expected.size() > 10);
    ExecutorService pool = Executors.newFixedThreadPool(32);
    try (HawkDriver driver = new HawkDriver()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 32; i++) {
        String protocol = i % 2 == 0 ? "tcp" : "http";
        Operation operation =
            i % 4 < 2 ? operation("eol", POS_LENGTH_EOL) : operation("epl", POS_LENGTH_EPL);
        Callable<Void> client =
            () -> {
              for (int round = 0; round < 10; round++) {
                try (Driver.Session session =
                    driver.open(served.endpoint(protocol), new Options(60_000, Map.of()))) {
                  assertEquals(expected, indices(served, session.execute(operation)));
                  assertEquals(expected, indices(served, session.execute(operation)));
                }
              }
              return null;
            };
        all.add(pool.submit(client));
      }
      for (Future<?> one : all) {
        one.get(100, TimeUnit.SECONDS);
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private static Operation operation(String language, String text) {
    return new Operation(
        "PosLength", text, Map.of("language", language, "tuple", List.of("segment")), 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"neo4j", "orientdb"})
  void listsWhatThereIs(String backend) throws Exception {
    Served served = served(backend);
    try (ApiClient client = served.client()) {
      assertEquals(1, client.listInstances().size());
      assertEquals(Served.INSTANCE, client.listInstances().get(0).getName());
      assertEquals(HawkState.RUNNING, client.listInstances().get(0).getState());
      assertEquals(List.of(backend), client.listBackends());
      assertTrue(client.listPlugins().containsAll(List.of(backend, Served.EOL, Served.EPL)));
      assertEquals(List.of(Served.EOL, Served.EPL), client.listQueryLanguages(Served.INSTANCE));
      assertEquals(List.of(URI), client.listMetamodels(Served.INSTANCE));
      assertEquals(
          Set.of(
              "RailwayElement",
              "RailwayContainer",
              "Region",
              "Route",
              "Sensor",
              "TrackElement",
              "Segment",
              "Switch",
              "SwitchPosition",
              "Semaphore"),
          Set.copyOf(client.listTypeNames(Served.INSTANCE, URI)));
      assertEquals(
          Set.of("id", "length"),
          Set.copyOf(client.listAttributeNames(Served.INSTANCE, URI, "Segment")));
      assertEquals(
          Set.of("id", "nMonitoredSegments"),
          Set.copyOf(client.listAttributeNames(Served.INSTANCE, URI, "Sensor")));
      assertEquals(
          Set.of(".ecore"),
          client.listMetamodelParsers(Served.INSTANCE).get(0).getFileExtensions());
      String repository = client.listRepositories(Served.INSTANCE).get(0).getUri();
      assertEquals(
          List.of(client.listRepositories(Served.INSTANCE).get(0).getType()),
          client.listRepositoryTypes());
      assertEquals(
          List.of("/train model.xmi"),
          client.listFiles(Served.INSTANCE, List.of(repository), List.of("*.xmi")));
      assertEquals(List.of(), client.listFiles(Served.INSTANCE, List.of("*"), List.of("*.uml")));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"neo4j", "orientdb"})
  void failuresAreHawksOwn(String backend) throws Exception {
    try (ApiClient client = served(backend).client()) {
      assertEquals(
          "other",
          assertThrows(
                  HawkInstanceNotFound.class,
                  () -> client.query("other", "return 1;", Served.EOL, OPTIONS))
              .getInstanceName());
      assertEquals(
          "OCL",
          assertThrows(
                  UnknownQueryLanguage.class,
                  () -> client.query(Served.INSTANCE, "return 1;", "OCL", OPTIONS))
              .getQueryLanguage());
      for (String language : List.of(Served.EOL, Served.EPL)) {
        InvalidQuery invalid =
            assertThrows(
                InvalidQuery.class,
                () -> client.query(Served.INSTANCE, "\n  return 1 +;", language, OPTIONS));
        assertTrue(invalid.getReason().matches("(?s).*\\b2\\b.*\\d+.*"), invalid.getReason());
      }
      FailedQuery failed =
          assertThrows(
              FailedQuery.class,
              () -> client.query(Served.INSTANCE, "return 1.nothing();", Served.EOL, OPTIONS));
      assertTrue(failed.getReason().contains("nothing"), failed.getReason());
      // as Hawk, which has exceptions for both and throws neither
      assertEquals(List.of(), client.listTypeNames(Served.INSTANCE, "urn:none"));
      assertEquals(List.of(), client.listAttributeNames(Served.INSTANCE, URI, "None"));
      assertEquals(
          1, client.query(Served.INSTANCE, "return 1;", Served.EOL, OPTIONS).getVInteger());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"neo4j", "orientdb"})
  void scalarsListsAndMaps(String backend) throws Exception {
    try (ApiClient client = served(backend).client()) {
      assertEquals(true, result(client, "return true;").getVBoolean());
      assertEquals(-7, result(client, "return -7;").getVInteger());
      assertEquals(2.5, result(client, "return 2.5;").getVDouble());
      assertEquals("süß\n", result(client, "return 'süß\\n';").getVString());
      assertEquals(
          List.of(QueryResult.vInteger(1), QueryResult.vList(List.of(QueryResult.vString("a")))),
          result(client, "return Sequence{1, Sequence{'a'}};").getVList());
      assertEquals(
          Map.of("a", QueryResult.vInteger(1), "2", QueryResult.vString("b")),
          result(client, "return Map{'a' = 1, 2 = 'b'};").getVMap());
      assertEquals(List.of(), result(client, "return null;").getVList());
      assertEquals(
          "Segment", result(client, "return Segment;").getVModelElementType().getTypeName());
      assertEquals(40_000, result(client, "return Sequence{1..40000};").getVList().size());
      QueryReport report = client.timedQuery(Served.INSTANCE, "return 3;", Served.EOL, OPTIONS);
      assertEquals(QueryResult.vInteger(3), report.getResult());
      assertTrue(report.getWallMillis() >= 0 && !report.isIsCancelled());
    }
  }

  private static QueryResult result(ApiClient client, String text) throws Exception {
    return client.query(Served.INSTANCE, text, Served.EOL, OPTIONS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"neo4j", "orientdb"})
  void aStoppedInstanceSaysSo(String backend) throws Exception {
    try (ApiClient client = served(backend).client()) {
      client.stopInstance(Served.INSTANCE);
      try {
        assertEquals(HawkState.STOPPED, client.listInstances().get(0).getState());
        assertEquals(
            Served.INSTANCE,
            assertThrows(HawkInstanceNotRunning.class, () -> result(client, "return 1;"))
                .getInstanceName());
        assertThrows(
            HawkInstanceNotRunning.class,
            () -> client.asyncQuery(Served.INSTANCE, "return 1;", Served.EOL, OPTIONS));
        assertThrows(HawkInstanceNotRunning.class, () -> client.listMetamodels(Served.INSTANCE));
        assertThrows(
            HawkInstanceNotRunning.class, () -> client.syncInstance(Served.INSTANCE, true));
        assertThrows(HawkInstanceNotRunning.class, () -> client.stopInstance(Served.INSTANCE));
        Outcome outcome = Servers.query(served(backend).endpoint("tcp"), "return 1;");
        assertEquals(Outcome.Kind.REJECTED, outcome.kind());
        assertTrue(outcome.detail().contains("not running"), outcome.detail());
      } finally {
        client.startInstance(Served.INSTANCE);
      }
      assertEquals(1, result(client, "return 1;").getVInteger());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"neo4j", "orientdb"})
  void attributesAreDeclaredAndWithdrawn(String backend) throws Exception {
    try (ApiClient client = served(backend).client()) {
      DerivedAttributeSpec twice =
          new DerivedAttributeSpec(URI, "Segment", "twice")
              .setAttributeType("Integer")
              .setDerivationLanguage("EOL")
              .setDerivationLogic("self.length * 2");
      client.addDerivedAttribute(Served.INSTANCE, twice);
      assertTrue(
          client.listDerivedAttributes(Served.INSTANCE).stream()
              .anyMatch(
                  d ->
                      d.getAttributeName().equals("twice")
                          && d.getDerivationLogic().equals("self.length * 2")));
      long expected =
          served(backend).all("Segment").stream()
              .filter(s -> (Integer) Served.get(s, "length") * 2 > 1000)
              .count();
      String query = "return Segment.all.select(s | s.twice > 1000).size();";
      assertEquals((int) expected, result(client, query).getVInteger());
      assertThrows(
          InvalidDerivedAttributeSpec.class,
          () -> client.addDerivedAttribute(Served.INSTANCE, twice));
      client.removeDerivedAttribute(
          Served.INSTANCE, new DerivedAttributeSpec(URI, "Segment", "twice"));
      assertThrows(FailedQuery.class, () -> result(client, query));
      for (DerivedAttributeSpec wrong :
          List.of(
              new DerivedAttributeSpec(URI, "Segment", "x").setAttributeType("Integer"),
              new DerivedAttributeSpec(twice).setDerivationLogic("self.+"),
              new DerivedAttributeSpec(twice).setAttributeType("Colour"),
              new DerivedAttributeSpec(twice).setTypeName("None"))) {
        InvalidDerivedAttributeSpec invalid =
            assertThrows(
                InvalidDerivedAttributeSpec.class,
                () -> client.addDerivedAttribute(Served.INSTANCE, wrong));
        assertTrue(!invalid.getReason().isBlank());
      }
      IndexedAttributeSpec signal = new IndexedAttributeSpec(URI, "Semaphore", "signal");
      client.addIndexedAttribute(Served.INSTANCE, signal);
      assertTrue(client.listIndexedAttributes(Served.INSTANCE).contains(signal));
      client.removeIndexedAttribute(Served.INSTANCE, signal);
      assertTrue(!client.listIndexedAttributes(Served.INSTANCE).contains(signal));
      assertThrows(
          InvalidIndexedAttributeSpec.class,
          () ->
              client.addIndexedAttribute(
                  Served.INSTANCE, new IndexedAttributeSpec(URI, "Semaphore", "none")));
      assertThrows(
          TApplicationException.class,
          () -> client.removeIndexedAttribute(Served.INSTANCE, signal));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"neo4j", "orientdb"})
  void metamodelsAreRegisteredAndUnregistered(String backend) throws Exception {
    String ecore =
        "<?xml version='1.0' encoding='UTF-8'?><ecore:EPackage xmi:version='2.0'"
            + " xmlns:xmi='http://www.omg.org/XMI' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'"
            + " xmlns:ecore='http://www.eclipse.org/emf/2002/Ecore' name='zoo' nsURI='urn:zoo'"
            + " nsPrefix='zoo'><eClassifiers xsi:type='ecore:EClass' name='Animal'/></ecore:EPackage>";
    try (ApiClient client = served(backend).client()) {
      client.registerMetamodels(Served.INSTANCE, List.of(file("zoo.ecore", ecore)));
      assertEquals(List.of(URI, "urn:zoo"), client.listMetamodels(Served.INSTANCE));
      assertEquals(List.of("Animal"), client.listTypeNames(Served.INSTANCE, "urn:zoo"));
      assertEquals(0, result(client, "return Animal.all.size();").getVInteger());
      client.unregisterMetamodels(Served.INSTANCE, List.of("urn:zoo"));
      client.unregisterMetamodels(Served.INSTANCE, List.of("urn:zoo", "urn:none")); // as in Hawk
      assertEquals(List.of(URI), client.listMetamodels(Served.INSTANCE));
      InvalidMetamodel invalid =
          assertThrows(
              InvalidMetamodel.class,
              () ->
                  client.registerMetamodels(
                      Served.INSTANCE, List.of(file("bad.ecore", "<nonsense"))));
      assertTrue(invalid.getReason().startsWith("bad.ecore"), invalid.getReason());
      TApplicationException used =
          assertThrows(
              TApplicationException.class,
              () -> client.unregisterMetamodels(Served.INSTANCE, List.of(URI)));
      assertTrue(!used.getMessage().contains("Internal error"), used.getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"neo4j", "orientdb"})
  void aLiteralOfAnEnumerationIsItsText(String backend) throws Exception {
    try (ApiClient client = served(backend).client()) {
      assertEquals(
          result(client, "return Semaphore.all.select(s | s.signal = Signal#GO).size();"),
          result(client, "return Semaphore.all.select(s | s.signal = 'GO').size();"));
      assertTrue(result(client, "return Semaphore.all.exists(s | s.signal = 'GO');").getVBoolean());
      assertFalse(
          result(client, "return Semaphore.all.exists(s | s.signal = 'NONE');").getVBoolean());
    }
  }

  private static File file(String name, String contents) {
    return new File(name, ByteBuffer.wrap(contents.getBytes(StandardCharsets.UTF_8)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"neo4j", "orientdb"})
  void aChangedFileIsIndexedAnew(String backend) throws Exception {
    Served served = served(backend);
    String original = Files.readString(served.model);
    String query = "return Segment.all.collect(s | s.length).sum();";
    try (ApiClient client = served.client()) {
      int before = result(client, query).getVInteger();
      EObject segment = served.all("Segment").get(3);
      int length = (Integer) Served.get(segment, "length");
      var feature = segment.eClass().getEStructuralFeature("length");
      segment.eSet(feature, length + 1000);
      try {
        TrainFixture.save(served.elements.get(0), served.model);
        assertEquals(before, result(client, query).getVInteger(), "not before it is told");
        client.syncInstance(Served.INSTANCE, true);
        assertEquals(before + 1000, result(client, query).getVInteger());
      } finally {
        segment.eSet(feature, length);
        Files.writeString(served.model, original);
        client.syncInstance(Served.INSTANCE, true);
      }
      assertEquals(before, result(client, query).getVInteger());
    }
  }
}
