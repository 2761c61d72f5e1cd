package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.cdo.driver.CdoDriver;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;

/** Queries through the real server and the real driver, both in this process, over TCP. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QueryTest {
  // SemaphoreNeighbor alone takes a busy machine longer than the default signal timeout
  private final Options options = transport().driver(60_000, Map.of("signal_timeout_ms", 60_000));
  private TrainFixture train;
  private ToolServer.Running server;
  private Endpoint endpoint;
  private Driver driver;

  /** What is between them; a subclass runs the same over another. */
  Transport transport() {
    return Transport.TCP;
  }

  /** Size of the model: more elements than one commit takes, so that references cross commits. */
  int size() {
    return 6;
  }

  /** How often to repeat: once where the transport is slow. */
  int rounds() {
    return 3;
  }

  private ToolServer.Running serve(Map<String, Object> more) throws Exception {
    return new CdoServer().serve(train.config(transport().server(more), transport().protocol, 0));
  }

  private Endpoint endpoint(ToolServer.Running of) {
    return TrainFixture.endpoint(of.endpoints().get(transport().protocol));
  }

  @BeforeAll
  void serve(@TempDir Path folder) throws Exception {
    train = new TrainFixture(folder, size());
    if (size() == 6) {
      assertTrue(train.size() > 5_000, "one commit would be enough for " + train.size());
    }
    // CDO's own view may answer wrongly when garbage is collected (see WeakMapTest)
    server = serve(Map.of("strong_objects", true));
    endpoint = endpoint(server);
    driver = new CdoDriver();
  }

  @AfterAll
  void stop() {
    driver.close();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PosLength",
        "SwitchMonitored",
        "RouteSensor",
        "SwitchSet",
        "ConnectedSegments",
        "SemaphoreNeighbor"
      })
  void equalsTheLocalEvaluation(String query) throws Exception {
    // one of them takes as long as all others together
    int rounds = query.equals("SemaphoreNeighbor") ? 1 : rounds();
    for (int i = 1; i < rounds; i++) {
      try (Driver.Session fresh = driver.open(endpoint, options)) {
        assertCorrect(query, fresh.execute(TrainFixture.operation(query)));
      }
    }
    try (Driver.Session reused = driver.open(endpoint, options)) {
      for (int i = 0; i <= rounds; i++) {
        Outcome outcome = reused.execute(TrainFixture.operation(query));
        assertCorrect(query, outcome);
        assertTrue(outcome.bytesSent() > 0 && outcome.bytesReceived() > 0, outcome::toString);
      }
    }
  }

  private void assertCorrect(String query, Outcome outcome) throws Exception {
    assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
    assertEquals(train.expected(query), train.digest(outcome, query), query);
  }

  @Test
  void theModelHasSomethingToFind() throws Exception {
    for (String query : List.of("PosLength", "RouteSensor", "SwitchSet", "ConnectedSegments")) {
      assertNotEquals(0, train.expected(query), query);
    }
  }

  @Test
  void sixteenThreadsGetCorrectResults() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(16);
    try {
      List<Callable<Outcome>> executions = new ArrayList<>();
      List<String> queries = List.of("RouteSensor", "PosLength", "SwitchSet", "ConnectedSegments");
      for (int i = 0; i < 32 * rounds(); i++) {
        String query = queries.get(i % queries.size());
        executions.add(
            () -> {
              try (Driver.Session session = driver.open(endpoint, options)) {
                return session.execute(TrainFixture.operation(query));
              }
            });
      }
      List<Future<Outcome>> outcomes = threads.invokeAll(executions, 90, TimeUnit.SECONDS);
      for (int i = 0; i < outcomes.size(); i++) {
        assertCorrect(queries.get(i % queries.size()), outcomes.get(i).get());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void interleavedQueriesOnOneSessionGetCorrectResults() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (Driver.Session session = driver.open(endpoint, options)) {
      List<Callable<Outcome>> executions = new ArrayList<>();
      List<String> queries = List.of("RouteSensor", "PosLength", "SwitchSet", "ConnectedSegments");
      for (int i = 0; i < 40 * rounds(); i++) {
        String query = queries.get(i % queries.size());
        executions.add(() -> session.execute(TrainFixture.operation(query)));
      }
      List<Future<Outcome>> outcomes = threads.invokeAll(executions, 90, TimeUnit.SECONDS);
      for (int i = 0; i < outcomes.size(); i++) {
        assertCorrect(queries.get(i % queries.size()), outcomes.get(i).get());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void sixtyFourSessionsAtOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(64);
    CyclicBarrier allOpen = new CyclicBarrier(64);
    try {
      List<Callable<Outcome>> executions = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        executions.add(
            () -> {
              try (Driver.Session session = driver.open(endpoint, options)) {
                allOpen.await(60, TimeUnit.SECONDS);
                return session.execute(TrainFixture.operation("PosLength"));
              }
            });
      }
      for (Future<Outcome> outcome : threads.invokeAll(executions, 90, TimeUnit.SECONDS)) {
        assertCorrect("PosLength", outcome.get());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void malformedOclIsAnErrorWithTheServersMessage() throws Exception {
    try (Driver.Session session = driver.open(endpoint, options)) {
      Outcome outcome = session.execute(TrainFixture.ocl("railway::Segment.allInstances(\n->oops"));
      assertEquals(Outcome.Kind.ERROR, outcome.kind());
      assertTrue(
          outcome.detail().matches("Malformed OCL: line \\d+, column \\d+: .+"), outcome.detail());
      // the session survives it
      assertCorrect("PosLength", session.execute(TrainFixture.operation("PosLength")));
    }
  }

  @Test
  void invalidAndUndefinedAreErrors() throws Exception {
    try (Driver.Session session = driver.open(endpoint, options)) {
      for (String text :
          List.of(
              "railway::Route.allInstances()->collect(r | r.entry.signal.oclAsType(railway::Route))",
              "railway::Route.allInstances()->collect(r | Tuple{element = r.entry})",
              "railway::Route.allInstances()->size()",
              "railway::Route.allInstances()->collect(r | Tuple{other = r})")) {
        Outcome outcome = session.execute(TrainFixture.ocl(text));
        assertEquals(Outcome.Kind.ERROR, outcome.kind(), text);
        assertTrue(outcome.detail().endsWith("."), outcome.detail());
      }
    }
  }

  @Test
  void anUnknownOptionIsRefused() {
    DriverException e =
        assertThrows(
            DriverException.class,
            () -> driver.open(endpoint, transport().driver(1_000, Map.of("signal_timeout", 1))));
    assertTrue(e.getMessage().contains("signal_timeout_ms"), e.getMessage());
  }

  @Test
  void aServerThatIsNotThereIsAnError() throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }
    Endpoint nobody = transport().endpoint("127.0.0.1", free);
    DriverException e = assertThrows(DriverException.class, () -> driver.open(nobody, options));
    assertTrue(e.getMessage().contains("refused"), e.getMessage());
  }

  @Test
  void theReasonWhyNothingIsConnectedIsTold() {
    // refused by this machine, before anything is sent
    Endpoint broadcast = transport().endpoint("255.255.255.255", 9);
    DriverException e = assertThrows(DriverException.class, () -> driver.open(broadcast, options));
    assertTrue(e.getMessage().matches(".*: no connection: .+"), e.getMessage());
  }

  @Test
  void aServerThatNeverAnswersIsAnError() throws Exception {
    try (ServerSocket silent = new ServerSocket(0)) {
      Endpoint mute = transport().endpoint("127.0.0.1", silent.getLocalPort());
      Options patient = transport().driver(500, Map.of());
      DriverException e = assertThrows(DriverException.class, () -> driver.open(mute, patient));
      assertTrue(e.getMessage().contains("no result within 500 ms"), e.getMessage());
    }
  }

  @Test
  void everyServerOptionCanBeSet() throws Exception {
    Map<String, Object> all =
        Map.of(
            "h2_cache_kb",
            4096,
            "pool_size",
            64,
            "share_pool",
            true,
            "signal_timeout_ms",
            20_000,
            "tcp_nodelay",
            false,
            "interrupt_queries",
            false,
            "strong_objects",
            true,
            "max_threads",
            64);
    ToolServer.Running other = serve(all);
    Options values = transport().driver(60_000, Map.of("signal_timeout_ms", 20_000));
    try (Driver.Session session = driver.open(endpoint(other), values)) {
      assertCorrect("RouteSensor", session.execute(TrainFixture.operation("RouteSensor")));
    } finally {
      other.close();
    }
  }
}
