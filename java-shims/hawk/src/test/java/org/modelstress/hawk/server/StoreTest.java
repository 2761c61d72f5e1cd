package org.modelstress.hawk.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.hawk.Main;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.neo4j.Neo4jBackend;
import org.modelstress.hawk.graph.orient.OrientBackend;
import org.modelstress.hawk.index.TrainFixture;
import org.modelstress.thrift.server.ServerProcess;

/** Loading a store, refusing what cannot be served, and surviving sudden ends. */
@Timeout(240)
class StoreTest {
  private static final List<Backend> BACKENDS = List.of(new Neo4jBackend(), new OrientBackend());

  @TempDir Path folder;
  private Path model;
  private int works;

  @BeforeEach
  void save() throws Exception {
    model = TrainFixture.save(TrainFixture.model(7), folder.resolve("train.xmi"));
  }

  private Path store() {
    return folder.resolve("store");
  }

  private ServerConfig config(
      String backend, List<Map<String, Object>> attributes, Map<String, Object> options) {
    return new ServerConfig(
        "hawk",
        backend,
        model,
        store(),
        folder.resolve("work" + works++),
        "127.0.0.1",
        Map.of("tcp", 0),
        attributes,
        options);
  }

  private ServerConfig config() {
    return config("neo4j", TrainFixture.entries(), Map.of("cache_mb", 16));
  }

  private void load() throws ServerException {
    new HawkServer(BACKENDS).load(config(), (done, total) -> {});
  }

  private void serveAndClose() throws ServerException {
    ToolServer.Running running = new HawkServer(BACKENDS).serve(config());
    assertTrue(running.endpoints().containsKey("tcp"), running.endpoints().toString());
    running.close();
  }

  @Test
  void servingLeavesTheStoreAlone() throws Exception {
    load();
    assertEquals(List.of("graph", "ids.mssf", "store.json"), names());
    assertEquals(0, IdsFile.read(store().resolve("ids.mssf")).indexOf(firstId()));
    Map<Path, String> before = bytes();
    serveAndClose();
    assertEquals(before, bytes());
  }

  private String firstId() throws IOException {
    Path copy = folder.resolve("copy");
    try (var ids = Files.newInputStream(store().resolve("ids.mssf"))) {
      Files.copy(ids, copy);
    }
    String header = Files.readString(copy, java.nio.charset.StandardCharsets.ISO_8859_1);
    int begin = header.indexOf("\"dictionaries\":{\"id\":[\"");
    assertTrue(begin > 0, "identifiers are text");
    String rest = header.substring(begin + "\"dictionaries\":{\"id\":[\"".length());
    return rest.substring(0, rest.indexOf('"'));
  }

  private List<String> names() throws IOException {
    try (Stream<Path> entries = Files.list(store())) {
      return entries.map(p -> p.getFileName().toString()).sorted().toList();
    }
  }

  private Map<Path, String> bytes() throws IOException {
    Map<Path, String> bytes = new java.util.TreeMap<>();
    try (Stream<Path> all = Files.walk(store())) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        bytes.put(
            file, java.util.Arrays.hashCode(Files.readAllBytes(file)) + " " + Files.size(file));
      }
    }
    return bytes;
  }

  @Test
  void damagedStoresAreRefused() throws Exception {
    load();
    Path ids = store().resolve("ids.mssf");
    byte[] whole = Files.readAllBytes(ids);
    byte[] flipped = whole.clone();
    flipped[whole.length / 2] ^= 1;
    Files.write(ids, flipped);
    assertRefused(Exit.STORE, "checksum of ids.mssf");
    Files.write(ids, java.util.Arrays.copyOf(whole, whole.length / 2));
    assertRefused(Exit.STORE, "truncated");
    Files.write(ids, whole);

    Path largest;
    try (Stream<Path> all = Files.walk(store().resolve("graph"))) {
      largest =
          all.filter(Files::isRegularFile)
              .max((a, b) -> Long.compare(a.toFile().length(), b.toFile().length()))
              .orElseThrow();
    }
    byte[] data = Files.readAllBytes(largest);
    data[data.length / 3] ^= 4;
    Files.write(largest, data);
    assertRefused(Exit.STORE, "checksum");
    data[data.length / 3] ^= 4;
    Files.write(largest, data);

    Path description = store().resolve("store.json");
    String text = Files.readString(description);
    Files.writeString(description, text.replaceFirst("\"version\" : \\d+", "\"version\" : 999"));
    assertRefused(Exit.STORE, "version 999");
    Files.writeString(description, text.replace("\"ids.mssf\"", "\"../ids.mssf\""));
    assertRefused(Exit.STORE, "outside");
    Files.writeString(description, "{");
    assertRefused(Exit.STORE, "store.json is not understood");
    Files.delete(description);
    assertRefused(Exit.STORE, "run load first");
    load();
    serveAndClose();
  }

  private void assertRefused(Exit exit, String part) {
    ServerException e = assertThrows(ServerException.class, this::serveAndClose);
    assertEquals(exit, e.exit(), e.getMessage());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @Test
  void anotherBackendOrOtherAttributesAreRefused() throws Exception {
    load();
    HawkServer server = new HawkServer(BACKENDS);
    ServerException other =
        assertThrows(
            ServerException.class,
            () -> server.serve(config("orientdb", TrainFixture.entries(), Map.of())));
    assertEquals(Exit.STORE, other.exit());
    ServerException attributes =
        assertThrows(
            ServerException.class,
            () -> server.serve(config("neo4j", TrainFixture.entries().subList(1, 2), Map.of())));
    assertEquals(Exit.STORE, attributes.exit());
    assertTrue(attributes.getMessage().contains("other attributes"), attributes.getMessage());
  }

  @Test
  void wrongConfigurationsAreRefused() {
    assertConfigRefused(config("h2", List.of(), Map.of()), "h2");
    assertConfigRefused(config("neo4j", List.of(), Map.of("cache_bm", 3)), "cache_bm");
    assertConfigRefused(config("neo4j", List.of(), Map.of("cache_mb", "much")), "whole number");
    assertConfigRefused(config("neo4j", List.of(), Map.of("fidelity", "good")), "fidelity");
    assertConfigRefused(config("neo4j", List.of(), Map.of("max_threads", 0)), "max_threads");
    assertConfigRefused(config("neo4j", List.of(Map.of("kind", "magic")), Map.of()), "kind");
    Map<String, Object> malformed = TrainFixture.entry("Sensor", "n", "Integer", "self.select(");
    assertConfigRefused(config("neo4j", List.of(malformed), Map.of()), "logic of n");
    Map<String, Object> good = TrainFixture.entries().get(1);
    assertConfigRefused(config("neo4j", List.of(good, good), Map.of()), "declared already");
    assertFalse(Files.exists(store().resolve("loading")));
  }

  private static void assertConfigRefused(ServerConfig config, String part) {
    ServerException e =
        assertThrows(
            ServerException.class,
            () -> new HawkServer(BACKENDS).load(config, (done, total) -> {}));
    assertEquals(Exit.CONFIG, e.exit(), e.getMessage());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @Test
  void aTruncatedModelIsExitCodeThree() throws Exception {
    byte[] whole = Files.readAllBytes(model);
    Files.write(model, java.util.Arrays.copyOf(whole, whole.length / 2));
    try (ServerProcess load = new ServerProcess(Main.class, "load", config())) {
      assertEquals(3, load.awaitExit(), load.lastError());
      assertTrue(load.lastError().contains("train.xmi"), load.lastError());
    }
  }
}
