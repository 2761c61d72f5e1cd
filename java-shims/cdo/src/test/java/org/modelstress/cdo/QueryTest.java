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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
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

/** Queries through the real server and the real driver, both in this process. */
@Timeout(120)
class QueryTest {
  private static final Options OPTIONS = TrainFixture.options(60_000, Map.of("tcp_nodelay", true));

  @TempDir static Path folder;
  private static TrainFixture train;
  private static ToolServer.Running server;
  private static Endpoint endpoint;
  private static Driver driver;

  @BeforeAll
  static void serve() throws Exception {
    // more elements than one commit takes, so that references cross commits
    train = new TrainFixture(folder, 6);
    assertTrue(train.size() > 5_000, "one commit would be enough for " + train.size());
    // CDO's own view may answer wrongly when garbage is collected (see WeakMapTest)
    server =
        new CdoServer().serve(train.config(Map.of("strong_objects", true, "tcp_nodelay", true), 0));
    endpoint = TrainFixture.endpoint(server.endpoints().get("tcp"));
    driver = new CdoDriver();
  }

  @AfterAll
  static void stop() {
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
    for (int i = 0; i < 2; i++) {
      try (Driver.Session fresh = driver.open(endpoint, OPTIONS)) {
        assertCorrect(query, fresh.execute(TrainFixture.operation(query)));
      }
    }
    try (Driver.Session reused = driver.open(endpoint, OPTIONS)) {
      for (int i = 0; i < 3; i++) {
        Outcome outcome = reused.execute(TrainFixture.operation(query));
        assertCorrect(query, outcome);
        assertTrue(outcome.bytesSent() > 0 && outcome.bytesReceived() > 0, outcome::toString);
      }
    }
  }

  private static void assertCorrect(String query, Outcome outcome) throws Exception {
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
      for (int i = 0; i < 96; i++) {
        String query = queries.get(i % queries.size());
        executions.add(
            () -> {
              try (Driver.Session session = driver.open(endpoint, OPTIONS)) {
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
  void malformedOclIsAnErrorWithTheServersMessage() throws Exception {
    try (Driver.Session session = driver.open(endpoint, OPTIONS)) {
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
    try (Driver.Session session = driver.open(endpoint, OPTIONS)) {
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
            () -> driver.open(endpoint, TrainFixture.options(1_000, Map.of("signal_timeout", 1))));
    assertTrue(e.getMessage().contains("signal_timeout_ms"), e.getMessage());
  }

  @Test
  void aServerThatIsNotThereIsAnError() throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }
    Endpoint nobody = TrainFixture.endpoint("tcp://127.0.0.1:" + free);
    DriverException e = assertThrows(DriverException.class, () -> driver.open(nobody, OPTIONS));
    assertTrue(e.getMessage().contains("lost or refused"), e.getMessage());
  }

  @Test
  void theReasonWhyNothingIsConnectedIsTold() {
    // refused by this machine, before anything is sent
    Endpoint broadcast = TrainFixture.endpoint("tcp://255.255.255.255:9");
    DriverException e = assertThrows(DriverException.class, () -> driver.open(broadcast, OPTIONS));
    assertTrue(e.getMessage().matches(".*: no connection: .+"), e.getMessage());
  }

  @Test
  void aServerThatNeverAnswersIsAnError() throws Exception {
    try (ServerSocket silent = new ServerSocket(0)) {
      Endpoint mute = TrainFixture.endpoint("tcp://127.0.0.1:" + silent.getLocalPort());
      Options patient = TrainFixture.options(500, Map.of());
      DriverException e = assertThrows(DriverException.class, () -> driver.open(mute, patient));
      assertTrue(e.getMessage().contains("no result within 500 ms"), e.getMessage());
    }
  }

  @Test
  void everyServerOptionCanBeSet() throws Exception {
    Map<String, Object> options =
        Map.of(
            "h2_cache_kb", 4096,
            "pool_size", 64,
            "share_pool", true,
            "signal_timeout_ms", 20_000,
            "tcp_nodelay", false,
            "interrupt_queries", false,
            "strong_objects", true);
    ToolServer.Running other = new CdoServer().serve(train.config(options, 0));
    Options values = TrainFixture.options(60_000, Map.of("signal_timeout_ms", 20_000));
    try (Driver.Session session =
        driver.open(TrainFixture.endpoint(other.endpoints().get("tcp")), values)) {
      assertCorrect("RouteSensor", session.execute(TrainFixture.operation("RouteSensor")));
    } finally {
      other.close();
    }
  }
}
