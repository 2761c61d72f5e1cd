package org.modelstress.thrift.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.apache.thrift.TException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.hawk.api.HawkInstanceNotRunning;
import org.modelstress.hawk.api.InvalidQuery;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.thrift.server.Servers;

/** What a Hawk server sends where this project's servers send something else. */
@Timeout(60)
class HawkAnswersTest {
  private static final Options DEFAULTS = new Options(10_000, Map.of());
  private static final String STACK_TRACE =
      "Internal error: Cannot read property\n\tat org.eclipse.epsilon.Eol.run(Eol.java:1)\n"
          + "\tat org.hawk.Engine.query(Engine.java:2)\n".repeat(20);

  private static final String UPDATING =
      "Cannot run the query, as the indexer is not in the RUNNING state: it is UPDATING instead.";
  private static final String MALFORMED =
      "org.hawk.core.query.InvalidQueryException: Query failed to parse correctly:\n"
          + "Line: 1, Column: 7, Reason: mismatched input\nLine: 2, Column: 1, Reason: another";
  private static final String NO_ENGINE = "java.util.NoSuchElementException";

  private static QueryResult answer(String query) throws TException {
    return switch (query) {
      case "failed" -> throw new FailedQuery(STACK_TRACE);
      case "endless" -> throw new InvalidQuery("x".repeat(100_000));
      case "stopped" -> throw new HawkInstanceNotRunning().setInstanceName("set0");
      case "nameless" -> throw new HawkInstanceNotRunning();
      case "updating" -> throw new FailedQuery(UPDATING);
      case "updating, asynchronous" ->
          throw new FailedQuery("FailedQuery(reason:" + UPDATING + ")");
      case "failed, asynchronous" ->
          throw new FailedQuery("FailedQuery(reason:" + STACK_TRACE + ")");
      case "malformed" -> throw new InvalidQuery(MALFORMED);
      case "no engine" -> throw new FailedQuery("org.apache.thrift.TException: " + NO_ENGINE);
      case "null" -> QueryResult.vString("null");
      case "roles" ->
          QueryResult.vList(
              List.of(
                  QueryResult.vMap(
                      Map.of(
                          "_rulename", QueryResult.vString("PosLength"),
                          "a", QueryResult.vModelElement(new ModelElement().setId("7")),
                          "b", QueryResult.vString("GNW|id:7|type:Segment")))));
      default ->
          QueryResult.vList(
              List.of(
                  QueryResult.vModelElement(new ModelElement().setId("5")),
                  QueryResult.vString(query)));
    };
  }

  private static Outcome execute(Driver.Session session, String text) {
    return session.execute(new Operation("test", text, Map.of("tuple", List.of("a", "b")), 0));
  }

  @Test
  void anElementThatOccursAgainIsReadFromItsText() throws Exception {
    try (Servers servers = Servers.answering((query, options) -> answer(query), Map.of());
        AnyDriver driver = new AnyDriver()) {
      for (Endpoint endpoint : servers.endpoints().values()) {
        try (Driver.Session session = driver.open(endpoint, DEFAULTS)) {
          for (String id : List.of("5959", "#21:0", "-1")) {
            Outcome outcome = execute(session, "GNW|id:" + id + "|type:Switch");
            assertEquals(new Ids.Strings(List.of("5", id)), outcome.ids(), outcome.detail());
          }
          for (String text : List.of("GNW|id:1|type:", "GNW|id:1|[no meta-info]")) {
            Outcome outcome = execute(session, text);
            assertEquals(new Ids.Strings(List.of("5", "1")), outcome.ids(), text);
          }
          for (String text :
              List.of(
                  "GNW|id:|type:Switch",
                  "GNW|id:1|",
                  "GNW|id:1",
                  " GNW|id:1|type:Switch",
                  "GNW|id:1|type:Switch|id:2",
                  "gnw|id:1|type:Switch",
                  "null")) {
            Outcome outcome = execute(session, text);
            assertEquals(Outcome.Kind.ERROR, outcome.kind(), text);
            assertTrue(outcome.detail().contains("String where model elements"), outcome.detail());
          }
        }
      }
    }
  }

  @Test
  void theNameOfThePatternIsLeftOutOfAMatch() throws Exception {
    try (Servers servers = Servers.answering((query, options) -> answer(query), Map.of());
        AnyDriver driver = new AnyDriver();
        Driver.Session session = driver.open(servers.endpoints().get("tcp"), DEFAULTS)) {
      Outcome outcome = execute(session, "roles");
      assertEquals(new Ids.Strings(List.of("7", "7")), outcome.ids(), outcome.detail());
    }
  }

  @Test
  void reasonsAreOneBoundedLineAndTheConnectionGoesOn() throws Exception {
    try (Servers servers = Servers.answering((query, options) -> answer(query), Map.of());
        AnyDriver driver = new AnyDriver()) {
      for (Endpoint endpoint : servers.endpoints().values()) {
        try (Driver.Session session = driver.open(endpoint, DEFAULTS)) {
          for (int i = 0; i < 3; i++) {
            Outcome failed = execute(session, "failed");
            assertEquals("the query failed: Internal error: Cannot read property", failed.detail());
            Outcome endless = execute(session, "endless");
            assertTrue(endless.detail().length() < 400, endless.detail());
            Outcome stopped = execute(session, "stopped");
            assertEquals(Outcome.Kind.REJECTED, stopped.kind(), stopped.detail());
            assertTrue(stopped.detail().contains("instance set0 is"), stopped.detail());
            assertEquals(Outcome.Kind.REJECTED, execute(session, "nameless").kind());
            assertEquals(Outcome.Kind.OK, execute(session, "GNW|id:1|type:T").kind());
          }
        }
      }
    }
  }

  @Test
  void aServerThatUpdatesItsIndexRejects() throws Exception {
    try (Servers servers = Servers.answering((query, options) -> answer(query), Map.of());
        AnyDriver driver = new AnyDriver();
        Driver.Session session = driver.open(servers.endpoints().get("tcp"), DEFAULTS)) {
      for (String query : List.of("updating", "updating, asynchronous")) {
        Outcome outcome = execute(session, query);
        assertEquals(Outcome.Kind.REJECTED, outcome.kind(), query);
        assertEquals("the query failed: " + UPDATING, outcome.detail());
      }
    }
  }

  @Test
  void whatIsWrongIsFoundInTheTextsOfJavaObjects() throws Exception {
    try (Servers servers = Servers.answering((query, options) -> answer(query), Map.of());
        AnyDriver driver = new AnyDriver();
        Driver.Session session = driver.open(servers.endpoints().get("tcp"), DEFAULTS)) {
      assertEquals(
          "the query failed: Internal error: Cannot read property",
          execute(session, "failed, asynchronous").detail());
      assertEquals(
          "the query is not valid: Query failed to parse correctly:"
              + " Line: 1, Column: 7, Reason: mismatched input",
          execute(session, "malformed").detail());
      assertTrue(execute(session, "no engine").detail().contains("options for engines"));
      assertEquals(
          "the instance of that name is not running: stopped or being updated",
          execute(session, "nameless").detail());
    }
  }

  @Test
  void anEngineThatTheServerLacksGetsASentence() throws Exception {
    try (Servers servers =
            Servers.answering(
                (query, options) -> {
                  throw new IllegalStateException("as Hawk with an unknown engine");
                },
                Map.of());
        AnyDriver driver = new AnyDriver()) {
      Endpoint endpoint = servers.endpoints().get("tcp");
      try (Driver.Session session = driver.open(endpoint, DEFAULTS)) {
        Outcome outcome = execute(session, "x");
        assertEquals(Outcome.Kind.ERROR, outcome.kind());
        assertTrue(outcome.detail().contains("Internal error processing query"), outcome.detail());
        assertTrue(outcome.detail().contains("engine"), outcome.detail());
        assertFalse(outcome.detail().contains("\n"));
      }
    }
  }

  @Test
  void theNameOfAnEngineIsAnOption() throws Exception {
    String eclipse = "org.eclipse.hawk.epsilon.emc.EOLQueryEngine";
    try (Servers servers = Servers.answering((query, options) -> answer("null"), Map.of());
        AnyDriver driver = new AnyDriver()) {
      Options options = new Options(10_000, Map.of("eol_engine", eclipse));
      Endpoint endpoint = servers.endpoints().get("tcp");
      for (String language : List.of("eol", "EOL")) {
        try (Driver.Session session = driver.open(endpoint, options)) {
          session.execute(new Operation("t", "x", Map.of("language", language), 0));
          assertEquals(eclipse, servers.lastLanguage());
        }
      }
      try (Driver.Session session = driver.open(endpoint, DEFAULTS)) {
        session.execute(new Operation("t", "x", Map.of("language", "eol"), 0));
        assertEquals("org.hawk.epsilon.emc.EOLQueryEngine", servers.lastLanguage());
      }
    }
  }
}
