package org.modelstress.metadata.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.databases.Addresses;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.SessionContext;

/** Nodes and driver of the tool, as the harness uses them. */
class LoadedStoreTest {
  private static final ToolServer.Progress UNSEEN = (done, total) -> {};

  @TempDir private Path folder;

  private static ServerConfig config(
      String node,
      String backend,
      Path store,
      Path work,
      Map<String, Object> dataset,
      Map<String, Object> options,
      Map<String, Map<String, String>> peers) {
    return new ServerConfig(
        "metadata",
        node,
        node,
        peers,
        backend,
        null,
        dataset == null ? null : new ServerConfig.Dataset("objects", dataset),
        store,
        work,
        "127.0.0.1",
        Map.of(node.equals("service") ? "http" : "sql", 0),
        List.of(),
        options,
        false);
  }

  private Map<String, String> outcomes(Map<String, String> endpoints, Map<String, Object> options)
      throws Exception {
    Map<String, Endpoint> nodes = new LinkedHashMap<>();
    endpoints.forEach((node, at) -> nodes.put(node, new Endpoint(URI.create(at))));
    Map<String, String> found = new TreeMap<>();
    try (Driver driver = new MetadataDriver();
        Driver.Session session =
            driver.open(new Endpoints(nodes), SessionContext.alone(new Options(30_000, options)))) {
      for (String name :
          List.of(
              "create",
              "create-batch",
              "submit",
              "update-own",
              "update-own",
              "update-shared",
              "retrieve",
              "retrieve-batch",
              "discover-value",
              "discover-range",
              "link",
              "discover-links")) {
        Outcome outcome = session.execute(new Operation(name, null, Map.of(), 0));
        found.put(name, outcome.kind() + (outcome.detail() == null ? "" : outcome.detail()));
      }
    }
    found.values().removeIf("OK"::equals);
    return found;
  }

  @ParameterizedTest
  @CsvSource({"postgresql, rows, local", "h2, document, http"})
  void clientsDoEverythingOnACopy(String backend, String layout, String protocol) throws Exception {
    doEverything(backend, layout, protocol);
  }

  @ParameterizedTest
  @Tag("long")
  @CsvSource({"mariadb, document, http", "sqlite, rows, local"})
  void clientsDoEverythingOnOtherCopies(String backend, String layout, String protocol)
      throws Exception {
    doEverything(backend, layout, protocol);
  }

  private void doEverything(String backend, String layout, String protocol) throws Exception {
    Map<String, Object> options = Map.of("layout", layout, "protocol", protocol);
    Map<String, Object> dataset = Map.of("objects", 2_500);
    Path store = folder.resolve("store");
    MetadataServer server = new MetadataServer();
    server.load(config("database", backend, store, null, dataset, options, Map.of()), UNSEEN);
    Path work = folder.resolve("work");
    Files.createDirectories(work);
    try (ToolServer.Running database =
        server.serve(config("database", backend, store, work, dataset, options, Map.of()))) {
      Map<String, String> endpoints = new LinkedHashMap<>();
      endpoints.put("database", database.endpoints().get("sql"));
      if (protocol.equals("local")) {
        assertEquals(Map.of(), outcomes(endpoints, options));
        return;
      }
      Map<String, Map<String, String>> peers = Map.of("database", database.endpoints());
      try (ToolServer.Running service =
          server.serve(config("service", backend, null, work, null, options, peers))) {
        endpoints.put("service", service.endpoints().get("http"));
        assertEquals(Map.of(), outcomes(endpoints, options));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "mariadb"})
  void aLoadThatWasInterruptedGoesOnAndIsReadInItsPlace(String backend) throws Exception {
    Map<String, Object> dataset = Map.of("objects", 5_000, "in_place", true);
    Path store = folder.resolve("store");
    MetadataServer server = new MetadataServer();
    ServerConfig config = config("database", backend, store, null, dataset, Map.of(), Map.of());
    RuntimeException stop = new IllegalStateException("stopped here");
    assertThrows(
        ServerException.class,
        () ->
            server.load(
                config,
                (done, total) -> {
                  if (done >= 2_000) {
                    throw stop;
                  }
                }));
    Path work = folder.resolve("work");
    Files.createDirectories(work);
    ServerConfig serve = config("database", backend, store, work, null, Map.of(), Map.of());
    ServerException e = assertThrows(ServerException.class, () -> server.serve(serve));
    assertTrue(e.getMessage().contains("not loaded to its end"), e.getMessage());
    server.load(config, UNSEEN);
    try (ToolServer.Running database = server.serve(serve)) {
      ServerException second = assertThrows(ServerException.class, () -> server.serve(serve));
      assertTrue(second.getMessage().contains("in use"), second.getMessage());
      Map<String, String> found =
          outcomes(Map.of("database", database.endpoints().get("sql")), Map.of());
      assertTrue(found.get("create").startsWith("ERROR"), found.toString());
      for (String reading : List.of("retrieve", "retrieve-batch", "discover-value")) {
        assertNull(found.get(reading), found.toString());
      }
    }
  }

  @Test
  void sessionsAfterAServerWasReplacedAreOnTheNewOne() throws Exception {
    Map<String, Object> dataset = Map.of("objects", 100);
    Path store = folder.resolve("store");
    MetadataServer server = new MetadataServer();
    server.load(config("database", "h2", store, null, dataset, Map.of(), Map.of()), UNSEEN);
    try (Driver driver = new MetadataDriver()) {
      for (String each : List.of("first", "second")) {
        Path work = Files.createDirectory(folder.resolve(each));
        try (ToolServer.Running database =
                server.serve(config("database", "h2", store, work, dataset, Map.of(), Map.of()));
            Driver.Session session =
                driver.open(
                    new Endpoints(
                        Map.of(
                            "database", new Endpoint(URI.create(database.endpoints().get("sql"))))),
                    SessionContext.alone(new Options(10_000, Map.of())))) {
          for (String name : List.of("create", "retrieve-created", "update-own", "retrieve")) {
            Outcome outcome = session.execute(new Operation(name, null, Map.of(), 0));
            assertEquals(Outcome.Kind.OK, outcome.kind(), each + " " + outcome.detail());
          }
        }
      }
    }
  }

  /** Had it been analyzed while it was empty, every update would read all versions. */
  @Test
  void aStoreThatBeginsEmptyIsReadByItsKeys() throws Exception {
    Map<String, Object> dataset = Map.of("objects", 0);
    Path store = folder.resolve("store");
    MetadataServer server = new MetadataServer();
    server.load(config("database", "postgresql", store, null, dataset, Map.of(), Map.of()), UNSEEN);
    Path work = folder.resolve("work");
    Files.createDirectories(work);
    int updates = 300;
    try (ToolServer.Running database =
        server.serve(config("database", "postgresql", store, work, dataset, Map.of(), Map.of()))) {
      String url = database.endpoints().get("sql");
      try (Driver driver = new MetadataDriver();
          Driver.Session session =
              driver.open(
                  new Endpoints(Map.of("database", new Endpoint(URI.create(url)))),
                  SessionContext.alone(new Options(30_000, Map.of())))) {
        for (int i = 0; i < updates; i++) {
          Outcome outcome = session.execute(new Operation("update-own", null, Map.of(), 0));
          assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
        }
      }
      assertTrue(rowsReadOneByOne(url, updates) < updates * 20L);
    }
  }

  /** Rows of versions and values that were read without an index, once all inserts are known. */
  private static long rowsReadOneByOne(String url, int inserts) throws Exception {
    String sql =
        "SELECT MIN(n_tup_ins), SUM(seq_tup_read) FROM pg_stat_user_tables WHERE relname IN"
            + " ('object_version', 'attribute_value')";
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    try (Connection connection = DriverManager.getConnection(Addresses.jdbc(url));
        Statement statement = connection.createStatement()) {
      while (System.nanoTime() < end) {
        try (ResultSet row = statement.executeQuery(sql)) {
          row.next();
          if (row.getLong(1) >= inserts) {
            return row.getLong(2);
          }
        }
        Thread.sleep(100);
      }
    }
    throw new AssertionError("the database does not tell what it did");
  }

  @Test
  void wrongConfigurationsAreRefused() {
    MetadataServer server = new MetadataServer();
    for (Map<String, Object> options :
        List.<Map<String, Object>>of(
            Map.of("layout", "columns"),
            Map.of("control", "none"),
            Map.of("object_attributes", 3),
            Map.of("buffer_mib", "much"))) {
      ServerException e =
          assertThrows(
              ServerException.class,
              () -> server.serve(config("database", "h2", null, folder, null, options, Map.of())));
      assertEquals(ServerException.Exit.CONFIG, e.exit());
      assertTrue(
          e.getMessage().contains("option " + options.keySet().iterator().next()), e.getMessage());
    }
    ServerException e =
        assertThrows(
            ServerException.class,
            () ->
                server.load(
                    config(
                        "database",
                        "h2",
                        folder.resolve("s"),
                        null,
                        Map.of("objects", -1),
                        Map.of(),
                        Map.of()),
                    UNSEEN));
    assertEquals(ServerException.Exit.MODEL, e.exit());
  }
}
