package org.modelstress.postgresql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.databases.Addresses;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.DriverTimeoutException;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelFiles;
import org.modelstress.models.Oracle;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.models.train.TrainMatcher;

/** Server and driver together: what clients get, and what they cannot do. */
@Timeout(120)
class PostgresqlTest {
  private static final Path QUERIES = Path.of("../../queries/train/sql");

  @TempDir private static Path folder;
  private static Served served;
  private static TrainMatcher matcher;
  private static ElementIndex elements;

  @BeforeAll
  static void start() throws Exception {
    var root =
        TrainGenerator.generate(Line.LINE_2017, Scenario.INJECT, 4, TrainGenerator.DEFAULT_SEED);
    Path model = folder.resolve("model.bin");
    ModelFiles.save(root, model);
    matcher = new TrainMatcher(root);
    elements = new ElementIndex(root);
    served = new Served(model, folder);
  }

  @AfterAll
  static void end() {
    served.close();
  }

  private static Outcome ask(String query) throws Exception {
    String[] tuple = new String[matcher.arity(query)];
    Arrays.setAll(tuple, Integer::toString);
    return served.ask(Files.readString(QUERIES.resolve(query + ".sql")), tuple);
  }

  @Test
  void everyQueryFindsTheMatchesOfAnotherProgram() throws Exception {
    for (String query : matcher.queries()) {
      Ids.Longs found = (Ids.Longs) ask(query).ids();
      long[] expected = elements.indicesOf(matcher.matches(query));
      assertEquals(expected.length, found.size(), query);
      int arity = matcher.arity(query);
      assertEquals(Oracle.digest(expected, arity), Oracle.digest(found.values(), arity), query);
    }
    assertEquals(6, matcher.queries().size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DELETE FROM segment",
        "DROP TABLE segment",
        "CREATE TABLE more (id int)",
        "CREATE TEMPORARY TABLE more (id int)",
        "ALTER TABLE segment OWNER TO modelstress_reader",
        "SELECT lo_create(0)",
        "SELECT lo_from_bytea(0, 'x')",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
        "SELECT rolpassword FROM pg_authid",
        "COPY segment TO PROGRAM 'true'",
        "COPY segment TO '/tmp/segments'",
        "SET ROLE modelstress",
        "CREATE ROLE more",
        "CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'",
      })
  void aClientWhoWantsToWriteCannot(String sql) throws Exception {
    try (Connection connection = served.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET default_transaction_read_only = off"); // anybody can
      SQLException e = assertThrows(SQLException.class, () -> statement.execute(sql));
      assertTrue(
          e.getMessage().contains("permission denied") || e.getMessage().contains("must be owner"),
          e.getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "))) this is no query (((",
        "SELECT NULL::bigint",
        "SELECT 'x'",
        "SELECT element FROM segment WHERE length = ?",
        "SELECT 1, 2",
        "UPDATE segment SET length = 1 RETURNING element",
        "SET default_transaction_read_only = off; UPDATE segment SET length = 1",
        "SELECT repeat('x', 1 << 20) FROM generate_series(1, 1 << 20)",
      })
  void whatIsNoQueryIsAnErrorWithOneSentence(String sql) throws Exception {
    try (Driver.Session session = served.open(20_000)) {
      Outcome outcome = session.execute(Served.operation(sql, "segment"));
      assertEquals(Outcome.Kind.ERROR, outcome.kind(), outcome.toString());
      assertFalse(outcome.detail().isBlank());
      assertFalse(outcome.detail().contains("\n"), outcome.detail());
    }
    assertEquals(Outcome.Kind.OK, ask("PosLength").kind());
  }

  @Test
  void aQueryThatTakesTooLongIsATimeoutAndEndsOnTheServer() throws Exception {
    try (Driver.Session session = served.open(500)) {
      Outcome outcome = session.execute(Served.operation("SELECT 1 FROM pg_sleep(60)", "x"));
      assertEquals(Outcome.Kind.TIMEOUT, outcome.kind(), outcome.toString());
      Outcome next = session.execute(Served.operation("SELECT element FROM route", "route"));
      assertEquals(Outcome.Kind.OK, next.kind(), "the session survives");
    }
    assertEquals(
        List.of(List.of("0")),
        served.rows(
            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg!_sleep%' ESCAPE '!'"
                + " AND pid <> pg_backend_pid()"));
  }

  @Test
  void strangersAreRefused() {
    String wrong = served.address.replaceFirst(":[0-9a-f]{32}@", ":00@");
    String owner = served.address.replaceFirst("modelstress_reader", "modelstress");
    String superuser = served.address.replaceFirst("modelstress_reader", "postgres");
    for (String address : List.of(wrong, owner, superuser, "postgresql://127.0.0.1:1/x")) {
      DriverException e =
          assertThrows(DriverException.class, () -> Served.open(address, 5_000).close());
      assertFalse(e.getMessage().contains("\n"), e.getMessage());
    }
  }

  @Test
  void aServerThatSaysNothingIsATimeout() throws Exception {
    try (ServerSocket silent = new ServerSocket(0)) {
      URI there = URI.create(served.address);
      String address = served.address.replace(":" + there.getPort(), ":" + silent.getLocalPort());
      assertThrows(DriverTimeoutException.class, () -> Served.open(address, 1_000));
    }
  }

  @Test
  void garbageOnTheWireHarmsNobody() throws Exception {
    Random random = new Random(1);
    URI there = URI.create(served.address);
    for (int i = 0; i < 50; i++) {
      byte[] garbage = new byte[random.nextInt(1, 4096)];
      random.nextBytes(garbage);
      try (Socket socket = new Socket(there.getHost(), there.getPort());
          OutputStream out = socket.getOutputStream()) {
        out.write(garbage);
      }
    }
    assertEquals(Outcome.Kind.OK, ask("PosLength").kind());
  }

  @Test
  void aSessionPreparesATextOnce() throws Exception {
    String counted = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%route%'";
    try (Driver.Session session = served.open(20_000)) {
      for (int i = 0; i < 3; i++) {
        session.execute(Served.operation("SELECT element FROM route", "route"));
      }
      Ids.Longs count = (Ids.Longs) session.execute(Served.operation(counted, "n")).ids();
      assertEquals(2, count.values()[0], "the text, and this one");
    }
  }

  @Test
  void wrongConfigurationsAreNamed() {
    Path model = folder.resolve("model.bin");
    ServerConfig right = Served.config(model, folder);
    for (ServerConfig wrong :
        List.of(
            changed(right, "mysql", Map.of("tcp", 0), Map.of()),
            changed(right, "h2", Map.of("tcp", 0), Map.of()),
            changed(right, "postgresql", Map.of("http", 0), Map.of()),
            changed(right, "postgresql", Map.of("tcp", 0), Map.of("buffer_mib", "much")))) {
      ServerException e =
          assertThrows(ServerException.class, () -> new PostgresqlServer().serve(wrong));
      assertEquals(ServerException.Exit.CONFIG, e.exit(), e.getMessage());
    }
  }

  private static ServerConfig changed(
      ServerConfig config,
      String backend,
      Map<String, Integer> ports,
      Map<String, Object> options) {
    return new ServerConfig(
        config.tool(),
        backend,
        config.model(),
        config.store(),
        config.work(),
        config.bind(),
        ports,
        List.of(),
        options);
  }

  @Test
  void addressesAreThoseOfReaders() {
    assertTrue(Addresses.jdbc(served.address).contains("user=modelstress_reader"));
  }
}
