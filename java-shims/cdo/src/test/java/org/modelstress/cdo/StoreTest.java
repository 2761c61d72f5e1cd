package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.eclipse.emf.cdo.server.IRepository;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ToolServer;

/** Loading, refusing what cannot be served, and the exit codes. */
@Timeout(120)
class StoreTest {
  @TempDir Path folder;
  private TrainFixture train;

  @BeforeEach
  void load() throws Exception {
    train = new TrainFixture(folder, 1);
  }

  @Test
  void aStoreHoldsThreeFilesAndServingLeavesThemAlone() throws Exception {
    List<String> names = List.of("ids.mssf", "repository.mv.db", "store.json");
    assertEquals(names, files(train.store));
    byte[] before = Files.readAllBytes(train.store.resolve("repository.mv.db"));
    new CdoServer().serve(train.config(Map.of(), 0)).close();
    assertEquals(names, files(train.store));
    assertEquals(
        -1,
        java.util.Arrays.mismatch(
            before, Files.readAllBytes(train.store.resolve("repository.mv.db"))));
  }

  private static List<String> files(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(p -> p.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void anInterruptedLoadIsNoStoreAndCanBeRepeated() throws Exception {
    CdoServer server = new CdoServer();
    ServerConfig config = train.config(Map.of(), 0);
    assertThrows(
        IllegalStateException.class,
        () ->
            server.load(
                config,
                (done, total) -> {
                  if (done > 0) {
                    throw new IllegalStateException("interrupted");
                  }
                }));
    assertRefused(Exit.STORE, "run load first");
    Files.createDirectories(train.store.resolve("loading"));
    Files.writeString(train.store.resolve("loading").resolve("repository.mv.db"), "torn");
    server.load(config, (done, total) -> {});
    server.serve(train.config(Map.of(), 0)).close();
  }

  @Test
  void nothingIsInterruptedWhileLoading() throws Exception {
    ServerOptions options = ServerOptions.of(Map.of("interrupt_queries", true));
    try (CdoRepository repository = CdoRepository.forLoading(folder.resolve("new"), options)) {
      String name = IRepository.Props.ALLOW_INTERRUPT_RUNNING_QUERIES;
      assertEquals("false", repository.repository().getProperties().get(name));
    }
  }

  @Test
  void damagedStoresAreRefused() throws Exception {
    Path database = train.store.resolve("repository.mv.db");
    byte[] whole = Files.readAllBytes(database);

    byte[] flipped = whole.clone();
    flipped[whole.length / 2] ^= 1;
    Files.write(database, flipped);
    assertRefused(Exit.STORE, "checksum");

    Files.write(database, java.util.Arrays.copyOf(whole, whole.length / 2));
    assertRefused(Exit.STORE, "truncated");

    Files.write(database, whole);
    Path description = train.store.resolve("store.json");
    String text = Files.readString(description);
    Files.writeString(description, text.replaceFirst("\"version\" : \\d+", "\"version\" : 999"));
    assertRefused(Exit.STORE, "version 999");

    Files.writeString(description, "{");
    assertRefused(Exit.STORE, "store.json is not understood");

    Files.delete(description);
    assertRefused(Exit.STORE, "run load first");
  }

  private void assertRefused(Exit exit, String part) {
    ServerException e =
        assertThrows(ServerException.class, () -> new CdoServer().serve(train.config(Map.of(), 0)));
    assertEquals(exit, e.exit());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @Test
  void wrongConfigurationsAreRefused() throws Exception {
    assertConfigRefused(train.config(Map.of("pool_sise", 3), 0), "pool_size");
    assertConfigRefused(train.config(Map.of("pool_size", "many"), 0), "whole number");
    assertConfigRefused(train.config(Map.of("tcp_nodelay", 1), 0), "true or false");
    ServerConfig good = train.config(Map.of(), 0);
    assertConfigRefused(
        new ServerConfig(
            "cdo",
            "h2",
            null,
            good.store(),
            good.work(),
            "127.0.0.1",
            Map.of("gopher", 0),
            null,
            null),
        "gopher");
    assertConfigRefused(train.config(Map.of("http_transport", "longpoll"), 0), "long-poll");
    assertConfigRefused(train.config(Map.of("max_threads", 8), 0), "from 64");
    assertConfigRefused(
        new ServerConfig(
            "cdo",
            "neo4j",
            null,
            good.store(),
            good.work(),
            "127.0.0.1",
            Map.of("tcp", 0),
            null,
            null),
        "neo4j");
  }

  private static void assertConfigRefused(ServerConfig config, String part) {
    ServerException e = assertThrows(ServerException.class, () -> new CdoServer().serve(config));
    assertEquals(Exit.CONFIG, e.exit());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "websocket"})
  void aBusyPortIsExitCodeFive(String protocol) throws Exception {
    try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerProcess server =
            new ServerProcess("serve", train.config(Map.of(), protocol, busy.getLocalPort()))) {
      assertEquals(5, server.awaitExit(), server.lastError());
      assertTrue(server.lastError().startsWith("error: "), server.lastError());
      assertTrue(server.lastError().contains("" + busy.getLocalPort()), server.lastError());
    }
  }

  @Test
  void theProgramSaysWhyItEnds() throws Exception {
    Files.writeString(train.store.resolve("repository.mv.db"), "no database");
    try (ServerProcess server = new ServerProcess("serve", train.config(Map.of(), 0))) {
      assertEquals(4, server.awaitExit(), server.lastError());
      assertTrue(server.lastError().startsWith("error: Store"), server.lastError());
    }
  }

  @Test
  void aTruncatedModelIsExitCodeThree() throws Exception {
    byte[] whole = Files.readAllBytes(train.model);
    Files.write(train.model, java.util.Arrays.copyOf(whole, whole.length / 2));
    try (ServerProcess load = new ServerProcess("load", train.config(Map.of(), 0))) {
      assertEquals(3, load.awaitExit(), load.lastError());
      assertTrue(load.lastError().contains("train.xmi"), load.lastError());
    }
    assertFalse(Files.exists(train.store.resolve("loading")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "websocket"})
  void terminationStopsTheServer(String protocol) throws Exception {
    try (ServerProcess server = new ServerProcess("serve", train.config(Map.of(), protocol, 0))) {
      server.awaitReady();
      server.terminate();
      int code = server.awaitExit();
      assertTrue(code == 143 || code == 0, "exit code " + code);
    }
  }

  @Test
  void aSecondServerOfTheSameStoreIsPossible() throws Exception {
    ToolServer.Running one = new CdoServer().serve(train.config(Map.of(), 0));
    ToolServer.Running two = new CdoServer().serve(train.config(Map.of(), 0));
    assertFalse(one.endpoints().equals(two.endpoints()));
    one.close();
    two.close();
  }
}
