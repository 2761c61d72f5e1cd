package org.modelstress.arcadedb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.eclipse.emf.ecore.EObject;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ToolServer.Running;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelFiles;
import org.modelstress.models.PropertyGraph;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.models.train.TrainMatcher;

/** The real server on a loaded railway model: what it finds, what it refuses. */
class ArcadedbTest {
  private static final Path QUERIES = Path.of("../../queries/train/cypher");
  private static final List<String> PROTOCOLS = List.of("tcp", "http");
  private static final String COUNT = "MATCH (n) RETURN count(n) AS n";

  @TempDir static Path folder;
  private static EObject model;
  private static Running server;
  private static final ArcadedbDriver DRIVER = new ArcadedbDriver();

  @BeforeAll
  static void serve() throws Exception {
    model =
        TrainGenerator.generate(Line.LINE_2016, Scenario.REPAIR, 1, TrainGenerator.DEFAULT_SEED);
    ModelFiles.save(model, folder.resolve("model.bin"));
    new ArcadedbServer().load(config("load", Map.of(), Map.of()), (done, total) -> {});
    server = new ArcadedbServer().serve(config("work", Map.of("tcp", 0, "http", 0), Map.of()));
  }

  @AfterAll
  static void stop() {
    DRIVER.close();
    server.close();
  }

  private static ServerConfig config(
      String work, Map<String, Integer> ports, Map<String, Object> options) {
    return new ServerConfig(
        "arcadedb",
        "native",
        folder.resolve("model.bin"),
        folder.resolve("store"),
        folder.resolve(work),
        "127.0.0.1",
        ports,
        List.of(),
        options);
  }

  private static Outcome ask(String protocol, String text, long millis) throws Exception {
    Endpoint endpoint = new Endpoint(URI.create(server.endpoints().get(protocol)));
    try (Driver.Session session = DRIVER.open(endpoint, new Options(millis, Map.of()))) {
      return session.execute(new Operation("q", text, Map.of("language", "cypher"), 0));
    }
  }

  private static long[] ids(String protocol, String text) throws Exception {
    Outcome outcome = ask(protocol, text, 60_000);
    assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
    return ((Ids.Longs) outcome.ids()).values();
  }

  private static List<String> tuples(long[] ids, int arity) {
    return IntStream.range(0, ids.length / arity)
        .mapToObj(i -> Arrays.toString(Arrays.copyOfRange(ids, i * arity, (i + 1) * arity)))
        .sorted()
        .toList();
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
  void findsWhatPlainJavaFinds(String query) throws Exception {
    TrainMatcher matcher = new TrainMatcher(model);
    int arity = matcher.arity(query);
    long[] expected = new ElementIndex(model).indicesOf(matcher.matches(query));
    String text = Files.readString(QUERIES.resolve(query + ".cypher"));
    for (String protocol : PROTOCOLS) {
      assertEquals(tuples(expected, arity), tuples(ids(protocol, text), arity), protocol);
    }
  }

  @Test
  void everyElementAndReferenceIsThereOnceWithAllItsTypes() throws Exception {
    PropertyGraph graph = new PropertyGraph(new ElementIndex(model));
    long edges = IntStream.range(0, graph.size()).mapToLong(i -> graph.edges(i).size()).sum();
    for (String protocol : PROTOCOLS) {
      assertArrayEquals(new long[] {graph.size()}, ids(protocol, COUNT));
      assertArrayEquals(new long[] {edges}, ids(protocol, "MATCH ()-[r]->() RETURN count(r) AS r"));
      assertEquals(
          ids(protocol, "MATCH (n:Switch) RETURN n._index").length,
          ids(protocol, "MATCH (n:Switch:RailwayElement) RETURN n._index").length);
    }
  }

  @Test
  void anAnswerOfManyThousandRowsIsWhole() throws Exception {
    String rows = "UNWIND range(1, 60000) AS row RETURN row";
    for (String protocol : PROTOCOLS) {
      assertEquals(60_000, ids(protocol, rows).length, protocol);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE (n:Segment) RETURN 1",
        "MATCH (n:Segment) SET n.length = 1 RETURN 1",
        "MATCH (n) DETACH DELETE n",
        "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN 1",
        "LOAD CSV FROM 'http://127.0.0.1:1/' AS line RETURN 1",
        "no query"
      })
  void onlyReads(String text) throws Exception {
    for (String protocol : PROTOCOLS) {
      Outcome outcome = ask(protocol, text, 60_000);
      assertEquals(Outcome.Kind.ERROR, outcome.kind(), protocol + ": " + text);
      assertFalse(outcome.detail().isBlank());
    }
    assertArrayEquals(new long[] {new ElementIndex(model).size()}, ids("tcp", COUNT));
  }

  private static HttpResponse<String> post(String path, String login, String body)
      throws Exception {
    URI http = URI.create(server.endpoints().get("http"));
    String where = "http://" + http.getHost() + ":" + http.getPort() + path;
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(where)).POST(BodyPublishers.ofString(body));
    if (!login.isEmpty()) {
      String encoded = Base64.getEncoder().encodeToString(login.getBytes());
      request.header("Authorization", "Basic " + encoded);
    }
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void strangersAndReadersDoNoMoreThanTheyMay() throws Exception {
    String reader = URI.create(server.endpoints().get("http")).getUserInfo();
    String query = "{\"language\":\"cypher\",\"command\":\"" + COUNT + "\"}";
    assertEquals(200, post("/api/v1/query/model", reader, query).statusCode());
    for (String stranger : List.of("", "reader:guessed", "root:", "root:playwithdata")) {
      int status = post("/api/v1/query/model", stranger, query).statusCode();
      assertTrue(status == 401 || status == 403, stranger + ": " + status);
    }
    for (String command :
        List.of("shutdown", "drop database model", "create database mine", "list users")) {
      String body = "{\"command\":\"" + command + "\"}";
      assertTrue(post("/api/v1/server", reader, body).statusCode() >= 400, command);
    }
    for (String language : List.of("sql", "sqlscript", "java", "js")) {
      for (String command :
          List.of(
              "DELETE FROM Segment",
              "CREATE VERTEX TYPE Mine",
              "IMPORT DATABASE 'file:///etc/passwd'",
              "ALTER DATABASE `arcadedb.x` 1",
              "java.lang.System::exit")) {
        String body = "{\"language\":\"" + language + "\",\"command\":\"" + command + "\"}";
        assertTrue(post("/api/v1/command/model", reader, body).statusCode() >= 400, command);
      }
    }
    String row = "{\"@type\":\"vertex\",\"@class\":\"Segment\"}\n";
    assertTrue(post("/api/v1/batch/model", reader, row).statusCode() >= 400);
    assertArrayEquals(new long[] {new ElementIndex(model).size()}, ids("http", COUNT));
  }

  @Test
  void anAnswerAfterTheDeadlineIsATimeout() throws Exception {
    String endless =
        "MATCH (a:Segment), (b:Segment), (c:Segment)"
            + " WHERE a._index + b._index + c._index < 0 RETURN a._index";
    for (String protocol : PROTOCOLS) {
      try (ArcadedbDriver impatient = new ArcadedbDriver();
          Driver.Session session =
              impatient.open(
                  new Endpoint(URI.create(server.endpoints().get(protocol))),
                  new Options(1_000, Map.of()))) {
        Outcome outcome =
            session.execute(new Operation("q", endless, Map.of("language", "cypher"), 0));
        assertEquals(Outcome.Kind.TIMEOUT, outcome.kind(), protocol + ": " + outcome.detail());
      }
      assertEquals(1, ids(protocol, "RETURN 1 AS one").length);
    }
  }

  @Test
  void aNameThatCouldBeSqlIsRefused() {
    for (String hostile : List.of("A` EXTENDS V; DROP DATABASE `model", "A\\", "A\nB", "")) {
      assertThrows(IllegalArgumentException.class, () -> GraphWriter.name(hostile));
    }
    assertEquals("`A B-c`", GraphWriter.name("A B-c"));
  }

  @Test
  void clientsOfBeforeACrashGoOn() throws Exception {
    ServerConfig before = config("crash", Map.of("tcp", 0), Map.of());
    Running first = new ArcadedbServer().serve(before);
    String address = first.endpoints().get("tcp");
    first.close();
    ServerConfig again =
        new ServerConfig(
            "arcadedb",
            null,
            null,
            null,
            "native",
            before.model(),
            null,
            before.store(),
            before.work(),
            "127.0.0.1",
            Map.of("tcp", URI.create(address).getPort()),
            List.of(),
            Map.of(),
            true);
    try (Running second = new ArcadedbServer().serve(again)) {
      assertEquals(address, second.endpoints().get("tcp"));
    }
  }

  @Test
  void refusesProtocolsOptionsAndABusyPort() throws Exception {
    ArcadedbServer other = new ArcadedbServer();
    assertEquals(Exit.CONFIG, refused(other, config("w1", Map.of("ftp", 0), Map.of())));
    assertEquals(
        Exit.CONFIG, refused(other, config("w2", Map.of("tcp", 0), Map.of("heap_mib", "much"))));
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      for (String protocol : PROTOCOLS) {
        Map<String, Integer> ports = Map.of(protocol, taken.getLocalPort());
        assertEquals(Exit.PORT, refused(other, config("w3" + protocol, ports, Map.of())));
      }
    }
  }

  private static Exit refused(ArcadedbServer other, ServerConfig config) {
    return assertThrows(ServerException.class, () -> other.serve(config)).exit();
  }
}
