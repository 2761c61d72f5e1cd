package org.modelstress.neo4j;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.models.train.TrainMatcher;

/** The real server on a loaded railway model: what it finds, what it refuses. */
class Neo4jTest {
  private static final Path QUERIES = Path.of("../../queries/train/cypher");
  private static final List<String> PROTOCOLS = List.of("tcp", "http");

  @TempDir static Path folder;
  private static EObject model;
  private static Running server;
  private static final Neo4jDriver DRIVER = new Neo4jDriver();

  @BeforeAll
  static void serve() throws Exception {
    model =
        TrainGenerator.generate(Line.LINE_2016, Scenario.REPAIR, 1, TrainGenerator.DEFAULT_SEED);
    ModelFiles.save(model, folder.resolve("model.bin"));
    new Neo4jServer().load(config("load", Map.of(), Map.of()), (done, total) -> {});
    server = new Neo4jServer().serve(config("work", Map.of("tcp", 0, "http", 0), Map.of()));
  }

  @AfterAll
  static void stop() {
    DRIVER.close();
    server.close();
  }

  private static ServerConfig config(
      String work, Map<String, Integer> ports, Map<String, Object> options) {
    return new ServerConfig(
        "neo4j",
        "native",
        folder.resolve("model.bin"),
        folder.resolve("store"),
        folder.resolve(work),
        "127.0.0.1",
        ports,
        List.of(),
        options);
  }

  private static Outcome ask(String protocol, String text) throws Exception {
    return ask(protocol, text, 60_000);
  }

  private static Outcome ask(String protocol, String text, long millis) throws Exception {
    Endpoint endpoint = new Endpoint(URI.create(server.endpoints().get(protocol)));
    try (Driver.Session session = DRIVER.open(endpoint, new Options(millis, Map.of()))) {
      return session.execute(new Operation("q", text, Map.of(), 0));
    }
  }

  private static long[] ids(String protocol, String text) throws Exception {
    Outcome outcome = ask(protocol, text);
    assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
    return ((Ids.Longs) outcome.ids()).values();
  }

  private static List<String> tuples(long[] ids, int arity) {
    return java.util.stream.IntStream.range(0, ids.length / arity)
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
  void everyElementAndReferenceIsThereOnce() throws Exception {
    assertArrayEquals(
        new long[] {new ElementIndex(model).size()}, ids("tcp", "MATCH (n) RETURN count(n)"));
    long stored =
        Stream.iterate(model.eAllContents(), it -> it.hasNext(), it -> it)
            .map(it -> it.next())
            .mapToLong(
                element ->
                    element.eClass().getEAllReferences().stream()
                        .filter(each -> !each.isContainer())
                        .filter(each -> !List.of("monitors", "target").contains(each.getName()))
                        .mapToLong(each -> count(element.eGet(each)))
                        .sum())
            .sum();
    long below = model.eContents().size();
    assertArrayEquals(new long[] {stored + below}, ids("tcp", "MATCH ()-[r]->() RETURN count(r)"));
    String labels =
        "MATCH (n:Switch) WHERE NOT (n:TrackElement AND n:RailwayElement) RETURN n._index";
    assertEquals(0, ids("tcp", labels).length);
  }

  private static void sleep() {
    try {
      Thread.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static long count(Object value) {
    return value instanceof List<?> many ? many.size() : value == null ? 0 : 1;
  }

  @Test
  void numbersAreFoundByAnIndex() throws Exception {
    String online =
        "SHOW INDEXES YIELD labelsOrTypes, properties, state, type WHERE type = 'RANGE' AND state ="
            + " 'ONLINE' AND labelsOrTypes[0] + '.' + properties[0] IN ['Segment.length',"
            + " 'RailwayElement.id'] RETURN 1 AS one";
    assertEquals(2, ids("http", online).length);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE (n:Segment) RETURN 1",
        "MATCH (n:Segment) SET n.length = 1 RETURN 1",
        "MATCH (n) DETACH DELETE n",
        "CREATE INDEX FOR (n:Segment) ON (n.nothing)",
        "CREATE CONSTRAINT FOR (n:Segment) REQUIRE n.id IS UNIQUE",
        "CALL db.createLabel('Mine')",
        "CALL { CREATE (n) } IN TRANSACTIONS",
        "CREATE DATABASE mine",
        "STOP DATABASE neo4j",
        "CALL dbms.setConfigValue('server.databases.default_to_read_only', 'false')",
        "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN 1",
        "LOAD CSV FROM 'http://127.0.0.1:1/' AS line RETURN 1",
        "LOAD CSV FROM 'ftp://127.0.0.1:1/' AS line RETURN 1",
        "no query"
      })
  void onlyReads(String text) throws Exception {
    for (String protocol : PROTOCOLS) {
      Outcome outcome = ask(protocol, text);
      assertEquals(Outcome.Kind.ERROR, outcome.kind(), protocol + ": " + text);
      assertFalse(outcome.detail().isBlank());
    }
    // the driver's sessions say that they read; others do not
    assertRefused(text, post("", "{\"statements\":[{\"statement\":\"" + text + "\"}]}"));
    try (org.neo4j.driver.Driver other = bolt();
        org.neo4j.driver.Session session = other.session()) {
      assertThrows(
          org.neo4j.driver.exceptions.Neo4jException.class, () -> session.run(text).consume());
    }
    assertArrayEquals(
        new long[] {new ElementIndex(model).size()}, ids("tcp", "MATCH (n) RETURN count(n)"));
  }

  @Test
  void aUserThatAClientMakesMeansNothing() throws Exception {
    // Neo4j cannot make its system database read-only
    try (org.neo4j.driver.Driver other = bolt();
        org.neo4j.driver.Session session =
            other.session(org.neo4j.driver.SessionConfig.forDatabase("system"))) {
      session.run("CREATE USER mallory SET PASSWORD 'mallory-mallory'").consume();
      session.run("ALTER USER neo4j SET PASSWORD 'mallory-mallory'").consume();
      assertThrows(
          org.neo4j.driver.exceptions.Neo4jException.class,
          () -> session.run("CREATE DATABASE mine").consume());
    }
    for (String protocol : PROTOCOLS) {
      assertEquals(1, ids(protocol, "RETURN 1").length);
      assertEquals(Outcome.Kind.ERROR, ask(protocol, "CREATE (n:Segment) RETURN 1").kind());
    }
  }

  private static org.neo4j.driver.Driver bolt() {
    return org.neo4j.driver.GraphDatabase.driver(
        server.endpoints().get("tcp").replace("tcp:", "bolt:"));
  }

  private static void assertRefused(String what, String answer) {
    assertTrue(answer.contains("200 OK"), what + answer);
    assertFalse(answer.contains("\"errors\":[]"), what + answer);
  }

  private static String post(String headers, String body) throws IOException {
    return post("/db/neo4j/tx/commit", headers, body);
  }

  private static String post(String path, String headers, String body) throws IOException {
    String host = headers.contains("Host:") ? "" : "Host: localhost\r\n";
    return request("POST " + path, host + headers, body);
  }

  private static String request(String what, String headers, String body) throws IOException {
    URI address = URI.create(server.endpoints().get("http"));
    try (Socket socket = new Socket(address.getHost(), address.getPort())) {
      String text =
          what
              + " HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n"
              + headers
              + "Content-Length: "
              + body.length()
              + "\r\n\r\n"
              + body;
      socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
      return new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
          .lines()
          .collect(Collectors.joining("\n"));
    }
  }

  @Test
  void turnsWebPagesAway() throws Exception {
    String body = "{\"statements\":[{\"statement\":\"RETURN 1\"}]}";
    assertTrue(post("", body).contains("200 OK"));
    for (String headers :
        List.of(
            "Origin: http://elsewhere.example\r\n",
            "Origin: null\r\n",
            "Host: elsewhere.example\r\n",
            "Host: 127.0.0.1.elsewhere.example\r\n")) {
      String answer = post(headers, body);
      assertTrue(answer.contains("403 Forbidden"), headers + answer);
      assertFalse(answer.contains("\"row\""), answer);
    }
    for (String what : List.of("GET /", "GET /db/neo4j", "OPTIONS /db/neo4j/tx/commit")) {
      String answer = request(what, "Host: localhost\r\nOrigin: http://a.example\r\n", "");
      assertTrue(answer.contains("403 "), answer);
      assertFalse(answer.toLowerCase().contains("access-control-allow-origin"), answer);
    }
    for (String path :
        List.of("/browser/", "/db/neo4j/query/v2", "/db/system/tx/commit", "/db/neo4j/tx")) {
      String answer = post(path, "", body);
      assertTrue(answer.contains("403 ") || answer.contains("404 "), path + answer);
    }
  }

  @Test
  void answersAreReadToTheirEndSoThatAConnectionServesAgain() throws Exception {
    java.util.Set<Integer> connections = java.util.concurrent.ConcurrentHashMap.newKeySet();
    HttpServer slow = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    slow.createContext(
        "/",
        exchange -> {
          connections.add(exchange.getRemoteAddress().getPort());
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write("{\"results\":[],\"errors\":[]}".getBytes());
          exchange.getResponseBody().flush();
          sleep(); // and then the end of the last chunk
          exchange.close();
        });
    slow.start();
    try (Neo4jDriver driver = new Neo4jDriver();
        Driver.Session session =
            driver.open(
                new Endpoint(URI.create("http://127.0.0.1:" + slow.getAddress().getPort())),
                new Options(10_000, Map.of()))) {
      for (int i = 0; i < 3; i++) {
        assertEquals(Outcome.Kind.OK, session.execute(new Operation("q", "x", Map.of(), i)).kind());
      }
    } finally {
      slow.stop(0);
    }
    assertEquals(1, connections.size());
  }

  @Test
  void anAnswerAfterTheDeadlineIsATimeoutAndEndsOnTheServer() throws Exception {
    String endless = "UNWIND range(1, 2000000000) AS a WITH a WHERE a < 0 RETURN a";
    for (String protocol : PROTOCOLS) {
      // a driver keeps its deadline for all sessions
      try (Neo4jDriver impatient = new Neo4jDriver();
          Driver.Session session =
              impatient.open(
                  new Endpoint(URI.create(server.endpoints().get(protocol))),
                  new Options(1_000, Map.of()))) {
        Outcome outcome = session.execute(new Operation("q", endless, Map.of(), 0));
        assertEquals(Outcome.Kind.TIMEOUT, outcome.kind(), outcome.detail());
      }
      String running =
          "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery STARTS WITH 'UNWIND' RETURN 1";
      for (int tries = 0; ids("tcp", running).length > 0; tries++) {
        assertTrue(tries < 100, "the query goes on");
        Thread.sleep(100);
      }
    }
  }

  @Test
  void refusesUnknownOptionsProtocolsAndABusyPort() throws Exception {
    Neo4jServer other = new Neo4jServer();
    assertEquals(
        Exit.CONFIG,
        assertThrows(
                ServerException.class,
                () -> other.serve(config("w1", Map.of("tcp", 0), Map.of("no.such.setting", 1))))
            .exit());
    assertEquals(
        Exit.CONFIG,
        assertThrows(
                ServerException.class, () -> other.serve(config("w2", Map.of("ftp", 0), Map.of())))
            .exit());
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      for (String protocol : PROTOCOLS) {
        Map<String, Integer> ports = Map.of(protocol, taken.getLocalPort());
        assertEquals(
            Exit.PORT,
            assertThrows(
                    ServerException.class,
                    () -> other.serve(config("w3" + protocol, ports, Map.of())))
                .exit());
      }
    }
    assertNotEquals(0, ids("tcp", "RETURN 1").length);
  }
}
