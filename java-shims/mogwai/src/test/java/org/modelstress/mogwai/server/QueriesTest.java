package org.modelstress.mogwai.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.eclipse.emf.ecore.EObject;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.samples.Digest;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.Metamodels;
import org.modelstress.models.ocl.OclQuery;
import org.modelstress.mogwai.driver.MogwaiDriver;
import org.modelstress.thrift.server.WireProtocol;

/** The Train Benchmark's queries through the driver find what Eclipse OCL finds in memory. */
@Timeout(120)
class QueriesTest {
  private static final Path FILES = Path.of("../../queries/train/ocl");
  private static final Options DEFAULTS = new Options(60_000, Map.of());

  /** Names of the queries and what their matches consist of. */
  private static final Map<String, List<String>> TUPLES =
      Map.of(
          "PosLength", List.of("segment"),
          "SwitchMonitored", List.of("sw"),
          "RouteSensor", List.of("route", "sensor", "swP", "sw"),
          "SwitchSet", List.of("semaphore", "route", "swP", "sw"),
          "ConnectedSegments",
              List.of(
                  "sensor", "segment1", "segment2", "segment3", "segment4", "segment5", "segment6"),
          "SemaphoreNeighbor",
              List.of("semaphore", "route1", "route2", "sensor1", "sensor2", "te1", "te2"));

  /** A query, and the matches that Eclipse OCL finds. */
  private record Case(Operation operation, int arity, int matches, long digest) {}

  @TempDir private static Path folder;
  private static Served served;
  private static final Map<String, Case> CASES = new LinkedHashMap<>();

  @BeforeAll
  static void start() throws Exception {
    served = Served.start(folder, Map.of("cache_mb", 16));
    for (Map.Entry<String, List<String>> query : TUPLES.entrySet()) {
      CASES.put(query.getKey(), expected(query.getKey() + ".ocl", query.getValue()));
    }
    CASES.put(
        "SemaphoreNeighbor backward",
        expected("mogwai/SemaphoreNeighbor.backward.ocl", TUPLES.get("SemaphoreNeighbor")));
  }

  @AfterAll
  static void stop() {
    served.close();
  }

  private static Case expected(String file, List<String> tuple) throws Exception {
    String text = Files.readString(FILES.resolve(file));
    EObject root = served.elements.get(0);
    List<EObject> found = OclQuery.parse(text, Metamodels.registry()).evaluate(root, tuple);
    long[] indices = new ElementIndex(root).indicesOf(found);
    return new Case(
        new Operation(file, text, Map.of("language", "ocl", "tuple", tuple), 0),
        tuple.size(),
        indices.length / tuple.size(),
        Digest.of(indices, indices.length, tuple.size()));
  }

  private static Map<String, Endpoint> endpoints() {
    Map<String, Endpoint> endpoints = new LinkedHashMap<>();
    endpoints.put("tcp", served.endpoint("tcp"));
    String http = served.endpoint("http").uri().toString();
    for (WireProtocol protocol : WireProtocol.values()) {
      String path = http.substring(0, http.lastIndexOf('/') + 1) + protocol.path();
      endpoints.put(protocol.path(), new Endpoint(java.net.URI.create(path)));
    }
    return endpoints;
  }

  private static void check(Driver.Session session, Case expected) {
    Outcome outcome = session.execute(expected.operation());
    String name = expected.operation().name();
    assertEquals(Outcome.Kind.OK, outcome.kind(), () -> name + ": " + outcome.detail());
    List<String> ids = ((Ids.Strings) outcome.ids()).values();
    assertEquals(expected.matches() * expected.arity(), ids.size(), name);
    long[] indices = ids.stream().mapToLong(served.ids::indexOf).toArray();
    assertEquals(expected.digest(), Digest.of(indices, indices.length, expected.arity()), name);
    assertTrue(outcome.bytesSent() > 0 && outcome.bytesReceived() > 0, outcome.toString());
  }

  @Test
  void theHarnessFindsTheDriver() {
    assertTrue(
        ServiceLoader.load(Driver.class).stream()
            .anyMatch(d -> d.type() == MogwaiDriver.class && d.get().name().equals("mogwai")));
  }

  @Test
  void everyQueryOverEveryProtocol() throws Exception {
    assertTrue(CASES.values().stream().filter(c -> c.matches() > 0).count() >= 5, "mostly matches");
    try (MogwaiDriver driver = new MogwaiDriver()) {
      for (Endpoint endpoint : endpoints().values()) {
        try (Driver.Session kept = driver.open(endpoint, DEFAULTS)) {
          for (Case expected : CASES.values()) {
            check(kept, expected);
          }
        }
      }
    }
  }

  @Test
  void eightClientsAtOnce() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(8);
    try (MogwaiDriver driver = new MogwaiDriver()) {
      List<Endpoint> endpoints = List.copyOf(endpoints().values());
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Endpoint endpoint = endpoints.get(i % endpoints.size());
        int first = i;
        Callable<Void> client =
            () -> {
              List<Case> cases = List.copyOf(CASES.values());
              for (int n = 0; n < 5 * cases.size(); n++) {
                try (Driver.Session session = driver.open(endpoint, DEFAULTS)) {
                  check(session, cases.get((first + n) % cases.size()));
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

  @Test
  void anotherLanguageOrInstanceIsAnError() throws Exception {
    Map<String, Object> eol = Map.of("language", "eol");
    assertError(DEFAULTS, new Operation("x", "return 1;", eol, 0), "query language eol");
    Options other = new Options(10_000, Map.of("instance", "other"));
    assertError(other, new Operation("x", "1", Map.of(), 0), "instance other");
    assertError(DEFAULTS, new Operation("x", "Sensor.all", Map.of(), 0), "line 1");
  }

  private static void assertError(Options options, Operation operation, String part)
      throws Exception {
    try (MogwaiDriver driver = new MogwaiDriver();
        Driver.Session session = driver.open(served.endpoint("tcp"), options)) {
      Outcome outcome = session.execute(operation);
      assertEquals(Outcome.Kind.ERROR, outcome.kind());
      assertTrue(outcome.detail().contains(part), outcome.detail());
    }
  }
}
