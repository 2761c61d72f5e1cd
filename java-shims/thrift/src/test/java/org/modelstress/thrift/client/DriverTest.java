package org.modelstress.thrift.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.hawk.api.HawkInstanceNotRunning;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.thrift.server.Servers;

/** The base of the drivers against servers without a store. */
@Timeout(60)
class DriverTest {
  private static final Options DEFAULTS = new Options(10_000, Map.of());

  private static QueryResult element(String id) {
    return QueryResult.vModelElement(new ModelElement().setId(id));
  }

  private static Operation operation(String text) {
    return new Operation("test", text, Map.of("tuple", List.of("b", "a")), 0);
  }

  private static Outcome execute(Endpoint endpoint, Options options, String text)
      throws DriverException {
    try (AnyDriver driver = new AnyDriver();
        Driver.Session session = driver.open(endpoint, options)) {
      return session.execute(operation(text));
    }
  }

  @Test
  void asksForIdentifiersOnlyAndFlattensMatches() throws Exception {
    List<HawkQueryOptions> seen = new ArrayList<>();
    try (Servers servers =
        Servers.answering(
            (query, options) -> {
              seen.add(options);
              return switch (query) {
                case "one" -> element("1");
                case "none" -> QueryResult.vList(List.of());
                case "flat" -> QueryResult.vList(List.of(element("1"), element("2")));
                case "lists" ->
                    QueryResult.vList(
                        List.of(
                            QueryResult.vList(List.of(element("1"), element("2"))),
                            QueryResult.vList(List.of(element("3"), element("4")))));
                case "maps" ->
                    QueryResult.vList(
                        List.of(
                            QueryResult.vMap(
                                Map.of("a", element("1"), "b", element("2"), "c", element("9")))));
                default -> QueryResult.vInteger(1);
              };
            },
            Map.of())) {
      Map<String, List<String>> expected =
          Map.of(
              "one", List.of("1"),
              "none", List.of(),
              "flat", List.of("1", "2"),
              "lists", List.of("1", "2", "3", "4"),
              "maps", List.of("2", "1"));
      for (Endpoint endpoint : servers.endpoints().values()) {
        for (Map.Entry<String, List<String>> one : expected.entrySet()) {
          Outcome outcome = execute(endpoint, DEFAULTS, one.getKey());
          assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
          assertEquals(new Ids.Strings(one.getValue()), outcome.ids());
          assertEquals(one.getValue().size(), outcome.items());
        }
        Outcome scalar = execute(endpoint, DEFAULTS, "scalar");
        assertEquals(Outcome.Kind.ERROR, scalar.kind());
        assertTrue(scalar.detail().contains("Integer"), scalar.detail());
      }
    }
    for (HawkQueryOptions options : seen) {
      assertTrue(options.isIncludeNodeIDs());
      assertTrue(
          !options.isIncludeAttributes()
              && !options.isIncludeReferences()
              && !options.isIncludeContained());
    }
  }

  @Test
  void outcomesTellWhatTheServerSaid() throws Exception {
    Semaphore mayAnswer = new Semaphore(0);
    try (Servers servers =
        Servers.answering(
            (query, options) -> {
              switch (query) {
                case "failed" -> throw new FailedQuery("division by zero");
                case "stopped" -> throw new HawkInstanceNotRunning().setInstanceName("modelstress");
                case "slow" -> mayAnswer.acquire();
                default -> throw new IllegalStateException("of its own");
              }
              return QueryResult.vInteger(1);
            },
            Map.of())) {
      Options hurried = new Options(300, Map.of());
      for (Endpoint endpoint : servers.endpoints().values()) {
        Outcome failed = execute(endpoint, DEFAULTS, "failed");
        assertEquals(Outcome.Kind.ERROR, failed.kind());
        assertTrue(failed.detail().contains("division by zero"), failed.detail());
        assertEquals(Outcome.Kind.REJECTED, execute(endpoint, DEFAULTS, "stopped").kind());
        assertEquals(Outcome.Kind.ERROR, execute(endpoint, DEFAULTS, "other").kind());
        Outcome slow = execute(endpoint, hurried, "slow"); // before the server could answer
        mayAnswer.release();
        assertEquals(Outcome.Kind.TIMEOUT, slow.kind(), slow.detail());
      }
    }
  }

  @Test
  void aServerThatIsNotThereIsAnErrorAndOneThatIsSilentATimeout() throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
      for (String scheme : List.of("tcp", "http")) {
        Endpoint silent = new Endpoint(URI.create(scheme + "://127.0.0.1:" + free));
        Outcome outcome = execute(silent, new Options(200, Map.of()), "x");
        assertEquals(Outcome.Kind.TIMEOUT, outcome.kind(), outcome.detail());
      }
    }
    for (String scheme : List.of("tcp", "http")) {
      Endpoint gone = new Endpoint(URI.create(scheme + "://127.0.0.1:" + free));
      assertThrows(DriverException.class, () -> execute(gone, DEFAULTS, "x"));
    }
  }

  @Test
  void wrongOptionsAndEndpointsAreRefused() {
    for (String address : List.of("udp://127.0.0.1:1", "tcp://127.0.0.1", "http:///thrift")) {
      Endpoint endpoint = new Endpoint(URI.create(address));
      DriverException wrong =
          assertThrows(DriverException.class, () -> execute(endpoint, DEFAULTS, "x"));
      assertTrue(wrong.getMessage().contains(address), wrong.getMessage());
    }
    Endpoint endpoint = new Endpoint(URI.create("tcp://127.0.0.1:1"));
    assertThrows(
        DriverException.class,
        () -> execute(endpoint, new Options(100, Map.of("colour", "red")), "x"));
    assertThrows(
        DriverException.class,
        () ->
            execute(
                new Endpoint(URI.create("http://127.0.0.1:1")),
                new Options(100, Map.of("thrift_protocol", "xml")),
                "x"));
  }

  @Test
  void theProtocolIsThatOfTheOptionOrThePath() throws Exception {
    Endpoint compact = new Endpoint(URI.create("http://127.0.0.1:1/thrift/hawk/compact"));
    assertEquals("/thrift/hawk/compact", Target.of(compact, DEFAULTS).path());
    Options json = new Options(100, Map.of("thrift_protocol", "json"));
    assertEquals("/thrift/hawk/json", Target.of(compact, json).path());
    Endpoint bare = new Endpoint(URI.create("http://127.0.0.1:1"));
    assertEquals("/thrift/hawk/tuple", Target.of(bare, DEFAULTS).path());
    Endpoint other = new Endpoint(URI.create("http://127.0.0.1:1/behind/a/proxy"));
    assertEquals("/behind/a/proxy", Target.of(other, json).path());
  }

  @Test
  void bytesAreCountedPerExecutionAndKeptSessionsKeepTheirConnection() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (Servers servers =
            Servers.answering(
                (query, options) -> {
                  calls.incrementAndGet();
                  return element("1");
                },
                Map.of());
        AnyDriver driver = new AnyDriver()) {
      for (Endpoint endpoint : servers.endpoints().values()) {
        calls.set(0);
        try (Driver.Session session = driver.open(endpoint, DEFAULTS)) {
          Outcome first = session.execute(operation("x"));
          Outcome second = session.execute(operation("x"));
          assertTrue(first.bytesSent() > 50 && first.bytesSent() < 700, "" + first);
          // what zlib has seen already costs less; HTTP sends the same again
          assertTrue(second.bytesSent() <= first.bytesSent(), second + " after " + first);
          assertNotEquals(0, second.bytesReceived());
          assertTrue(second.bytesReceived() <= first.bytesReceived() + 2);
        }
        assertEquals(2, calls.get(), "one request per query");
      }
    }
  }

  @Test
  void aKeptSessionTakesAnswersOfAnySize() throws Exception {
    try (Servers servers =
            Servers.answering(
                (query, options) ->
                    QueryResult.vList(Collections.nCopies(Integer.parseInt(query), element("1"))),
                Map.of());
        AnyDriver driver = new AnyDriver()) {
      for (Endpoint endpoint : servers.endpoints().values()) {
        try (Driver.Session session = driver.open(endpoint, DEFAULTS)) {
          for (int size : new int[] {2, 20_000, 4, 100_000}) {
            Outcome outcome = session.execute(operation(Integer.toString(size)));
            assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
            assertEquals(size, outcome.items());
          }
        }
      }
    }
  }
}
