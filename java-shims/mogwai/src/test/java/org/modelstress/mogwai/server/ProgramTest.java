package org.modelstress.mogwai.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.thrift.TException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.models.ModelFiles;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.mogwai.Main;
import org.modelstress.mogwai.driver.MogwaiDriver;
import org.modelstress.thrift.client.ApiClient;
import org.modelstress.thrift.server.ServerProcess;

/** The program: loading, serving, what it refuses and how it ends. */
@Timeout(240)
class ProgramTest {
  private static final String SEGMENTS = "railway::Segment.allInstances()->size()";

  @TempDir Path folder;

  @BeforeEach
  void save() throws Exception {
    Served.model(folder.resolve("train.xmi"));
  }

  private ServerConfig config(Map<String, Integer> ports, Map<String, Object> options) {
    return Served.config(folder, ports, options);
  }

  private ServerConfig config() {
    return config(Map.of("tcp", 0), Map.of("cache_mb", 16));
  }

  private static ServerConfig with(
      ServerConfig config,
      String backend,
      Path model,
      String bind,
      List<Map<String, Object>> attributes) {
    return new ServerConfig(
        config.tool(),
        backend,
        model,
        config.store(),
        config.work(),
        bind,
        config.ports(),
        attributes,
        config.options());
  }

  private static ServerProcess start(String command, ServerConfig config) throws Exception {
    return new ServerProcess(Main.class, command, config);
  }

  private void load() throws Exception {
    new MogwaiServer().load(config(), (done, total) -> {});
  }

  private static int segments(Endpoint endpoint) throws Exception {
    try (ApiClient client = new ApiClient(endpoint)) {
      return client
          .query(Served.INSTANCE, SEGMENTS, MogwaiDriver.OCL, new HawkQueryOptions())
          .getVInteger();
    }
  }

  @Test
  void servesAndEndsBySigterm() throws Exception {
    try (ServerProcess load = start("load", config())) {
      assertEquals(0, load.awaitExit(), load.lastError());
    }
    Map<Path, Long> before = files(folder.resolve("store"));
    ServerConfig config = config(Map.of("tcp", 0, "http", 0), Map.of("cache_mb", 16));
    try (ServerProcess serve = start("serve", config)) {
      Map<String, Endpoint> endpoints = serve.awaitReady();
      assertEquals(Set.of("tcp", "http"), endpoints.keySet());
      assertTrue(segments(endpoints.get("tcp")) > 100);
      try (Socket open = new Socket("127.0.0.1", endpoints.get("tcp").port())) {
        serve.terminate(); // with a connection open
        int code = serve.awaitExit();
        assertTrue(code == 143 || code == 0, "exit code " + code);
        assertEquals(-1, open.getInputStream().read());
      }
    }
    assertEquals(before, files(folder.resolve("store")));
    try (ServerProcess again = start("serve", config)) { // over what the first one left
      assertTrue(segments(again.awaitReady().get("tcp")) > 100);
    }
  }

  private static Map<Path, Long> files(Path store) throws Exception {
    Map<Path, Long> hashes = new java.util.TreeMap<>();
    try (Stream<Path> all = Files.walk(store)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        hashes.put(file, (long) Arrays.hashCode(Files.readAllBytes(file)));
      }
    }
    assertTrue(hashes.size() > 5, hashes.toString());
    return hashes;
  }

  @Test
  void listensWhereItIsToldToOnly() throws Exception {
    load();
    ServerConfig given = config(Map.of("tcp", 0, "http", 0), Map.of());
    ServerConfig other = with(given, "neoemf", given.model(), "127.0.0.2", List.of());
    try (ServerProcess serve = start("serve", other)) {
      for (Endpoint endpoint : serve.awaitReady().values()) {
        assertEquals("127.0.0.2", endpoint.host());
        new Socket("127.0.0.2", endpoint.port()).close();
        assertThrows(
            java.io.IOException.class, () -> new Socket("127.0.0.1", endpoint.port()).close());
      }
    }
  }

  @Test
  void aBusyPortIsRefusedAndTheStoreIsClosed() throws Exception {
    load();
    try (ServerSocket taken = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      for (String protocol : List.of("tcp", "http")) {
        assertRefused(
            config(Map.of(protocol, taken.getLocalPort()), Map.of()),
            Exit.PORT,
            "" + taken.getLocalPort());
      }
    }
    new MogwaiServer().serve(config()).close();
  }

  @Test
  void aKilledLoadIsNoStoreAndCanBeRepeated() throws Exception {
    ModelFiles.save(
        TrainGenerator.generate(Line.LINE_2017, Scenario.REPAIR, 16, 1), folder.resolve("big.xmi"));
    Path model = folder.resolve("big.xmi");
    ServerConfig big = with(config(), "neoemf", model, "127.0.0.1", List.of());
    try (ServerProcess load = start("load", big)) {
      load.awaitProgress(0);
      load.kill();
      assertEquals(137, load.awaitExit(), "killed, not ended");
    }
    try (ServerProcess serve = start("serve", config())) {
      assertEquals(4, serve.awaitExit(), serve.lastError());
      assertTrue(serve.lastError().contains("run load first"), serve.lastError());
    }
    load();
    try (ServerProcess serve = start("serve", config())) {
      assertTrue(segments(serve.awaitReady().get("tcp")) > 100);
    }
  }

  @Test
  void aKilledServerIsAnErrorToItsClientsAndTheNextStartIsWhole() throws Exception {
    load();
    int before;
    try (ServerProcess serve = start("serve", config())) {
      Endpoint endpoint = serve.awaitReady().get("tcp");
      before = segments(endpoint);
      try (ApiClient client = new ApiClient(endpoint)) {
        serve.kill();
        assertEquals(137, serve.awaitExit(), "killed, not ended");
        assertThrows(
            TException.class,
            () ->
                client.query(Served.INSTANCE, SEGMENTS, MogwaiDriver.OCL, new HawkQueryOptions()));
      }
    }
    try (ServerProcess serve = start("serve", config())) {
      assertEquals(before, segments(serve.awaitReady().get("tcp")));
    }
  }

  @Test
  void aTruncatedModelIsExitCodeThree() throws Exception {
    Path model = config().model();
    byte[] whole = Files.readAllBytes(model);
    Files.write(model, Arrays.copyOf(whole, whole.length / 2));
    try (ServerProcess load = start("load", config())) {
      assertEquals(3, load.awaitExit(), load.lastError());
      assertTrue(load.lastError().contains("train.xmi"), load.lastError());
    }
    assertFalse(Files.exists(folder.resolve("store/store.json")));
  }

  @Test
  void aDamagedStoreIsRefused() throws Exception {
    load();
    Path ids = folder.resolve("store/ids.mssf");
    byte[] whole = Files.readAllBytes(ids);
    Files.write(ids, Arrays.copyOf(whole, whole.length / 2));
    assertRefused(Exit.STORE, "truncated");
    byte[] flipped = whole.clone();
    flipped[whole.length / 2] ^= 1;
    Files.write(ids, flipped);
    assertRefused(Exit.STORE, "checksum");
    Files.write(ids, whole);
    new MogwaiServer().serve(config()).close();
    Files.delete(folder.resolve("store/store.json"));
    assertRefused(Exit.STORE, "run load first");
  }

  private void assertRefused(Exit exit, String part) {
    assertRefused(config(), exit, part);
  }

  private static void assertRefused(ServerConfig config, Exit exit, String part) {
    ServerException e =
        assertThrows(ServerException.class, () -> new MogwaiServer().serve(config).close());
    assertEquals(exit, e.exit(), e.getMessage());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @Test
  void wrongConfigurationsAreRefused() {
    assertConfigRefused(config(Map.of(), Map.of("cache_bm", 3)), "cache_bm");
    assertConfigRefused(config(Map.of(), Map.of("cache_mb", "much")), "whole number");
    assertConfigRefused(config(Map.of(), Map.of("cache_type", "hard")), "cache_type");
    assertConfigRefused(config(Map.of(), Map.of("cached_queries", -1)), "cached_queries");
    assertConfigRefused(config(Map.of(), Map.of("instance", " ")), "instance");
    assertConfigRefused(config(Map.of(), Map.of("max_threads", 0)), "max_threads");
    ServerConfig good = config();
    assertConfigRefused(with(good, "neo4j", good.model(), good.bind(), List.of()), "neo4j");
    List<Map<String, Object>> declared = List.of(Map.of("kind", "indexed"));
    assertConfigRefused(with(good, "neoemf", good.model(), good.bind(), declared), "attributes");
  }

  private static void assertConfigRefused(ServerConfig config, String part) {
    ServerException e =
        assertThrows(
            ServerException.class, () -> new MogwaiServer().load(config, (done, total) -> {}));
    assertEquals(Exit.CONFIG, e.exit(), e.getMessage());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @Test
  void anotherProtocolIsRefused() throws Exception {
    load();
    assertRefused(config(Map.of("udp", 0), Map.of()), Exit.CONFIG, "mogwai does not serve udp");
  }
}
