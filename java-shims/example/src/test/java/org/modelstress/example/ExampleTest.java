package org.modelstress.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EObject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.samples.ElementIds;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.Stores;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelFiles;
import org.modelstress.models.Oracle;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

/** The server and the driver together, without the programs around them. */
@Timeout(60)
class ExampleTest {
  private static final String QUERY = "return Segment.all.select(s | s.length <= 0);";

  @TempDir Path folder;
  private ElementIndex expected;

  @BeforeEach
  void load() throws Exception {
    EObject root =
        TrainGenerator.generate(Line.LINE_2016, Scenario.REPAIR, 1, TrainGenerator.DEFAULT_SEED);
    ModelFiles.save(root, folder.resolve("model.xmi"));
    expected = new ElementIndex(root);
    new ExampleServer().load(config(0), (done, total) -> {});
  }

  private ServerConfig config(int port) {
    return config(folder.resolve("model.xmi"), port);
  }

  private ServerConfig config(Path model, int port) {
    return new ServerConfig(
        "example",
        "memory",
        model,
        folder.resolve("store"),
        folder.resolve("work"),
        "127.0.0.1",
        Map.of("http", port),
        List.of(),
        Map.of());
  }

  private static Operation operation(String text) {
    return new Operation("Q", text, Map.of("language", "eol", "tuple", List.of("segment")), 0);
  }

  private static Driver.Session open(String address, long timeoutMillis) throws Exception {
    return new ExampleDriver()
        .open(new Endpoint(URI.create(address)), new Options(timeoutMillis, Map.of()));
  }

  @Test
  void everyElementHasAnIdentifier() throws Exception {
    ElementIds ids = IdsFile.read(folder.resolve("store/ids.mssf"));
    assertEquals(expected.size() - 1, ids.indexOf(expected.size() - 1));
    assertEquals(ElementIds.UNKNOWN, ids.indexOf(expected.size()));
  }

  @Test
  void oneSessionAnswersManyTimesAndManySessionsOnce() throws Exception {
    try (ToolServer.Running server = new ExampleServer().serve(config(0))) {
      String address = server.endpoints().get("http");
      try (Driver.Session kept = open(address, 10_000)) {
        for (int i = 0; i < 3; i++) {
          check(kept.execute(operation(QUERY)));
          try (Driver.Session fresh = open(address, 10_000)) {
            check(fresh.execute(operation(QUERY)));
          }
        }
      }
    }
  }

  private void check(Outcome outcome) {
    assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
    Ids.Longs ids = (Ids.Longs) outcome.ids();
    long[] indices = java.util.Arrays.copyOf(ids.values(), ids.size());
    long[] right =
        java.util.stream.LongStream.range(0, expected.size())
            .filter(i -> isMatch(expected.element(i)))
            .toArray();
    java.util.Arrays.sort(indices);
    assertTrue(right.length > 0);
    assertEquals(
        java.util.Arrays.toString(right), java.util.Arrays.toString(indices), "as computed here");
  }

  private static boolean isMatch(EObject element) {
    var length = element.eClass().getEStructuralFeature("length");
    return length != null && (Integer) element.eGet(length) <= 0;
  }

  @Test
  void malformedQueriesComeBackWithTheServersMessage() throws Exception {
    try (ToolServer.Running server = new ExampleServer().serve(config(0));
        Driver.Session session = open(server.endpoints().get("http"), 10_000)) {
      Outcome outcome = session.execute(operation("return Segment.all.select(s | ;"));
      assertEquals(Outcome.Kind.ERROR, outcome.kind());
      assertTrue(outcome.detail().contains("line 1"), outcome.detail());
      check(session.execute(operation(QUERY)));
    }
  }

  @Test
  void aSilentServerIsATimeoutAndAMissingOneAnError() throws Exception {
    int port;
    try (ServerSocket silent = new ServerSocket(0, 5, java.net.InetAddress.getLoopbackAddress())) {
      port = silent.getLocalPort();
      try (Driver.Session session = open("http://127.0.0.1:" + port, 300)) {
        assertEquals(Outcome.Kind.TIMEOUT, session.execute(operation(QUERY)).kind());
      }
    }
    try (Driver.Session session = open("http://127.0.0.1:" + port, 300)) {
      assertEquals(Outcome.Kind.ERROR, session.execute(operation(QUERY)).kind());
    }
  }

  @Test
  void aBusyPortIsExitCodeFive() throws Exception {
    try (ToolServer.Running server = new ExampleServer().serve(config(0))) {
      int port = URI.create(server.endpoints().get("http")).getPort();
      ServerException e =
          assertThrows(ServerException.class, () -> new ExampleServer().serve(config(port)));
      assertEquals(5, e.exit().code());
    }
  }

  @Test
  void damagedStoresAreRefusedUntilLoadedAgain() throws Exception {
    for (String name : List.of("model/model.xmi", "ids.mssf")) {
      Path file = folder.resolve("store").resolve(name);
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length / 2] ^= 1;
      Files.write(file, bytes);
      ServerException changed =
          assertThrows(ServerException.class, () -> new ExampleServer().serve(config(0)));
      assertEquals(4, changed.exit().code(), changed.getMessage());
      Files.delete(file);
      ServerException missing =
          assertThrows(ServerException.class, () -> new ExampleServer().serve(config(0)));
      assertEquals(4, missing.exit().code(), missing.getMessage());
      new ExampleServer().load(config(0), (done, total) -> {});
    }
    Files.delete(folder.resolve("store/store.json"));
    ServerException unsealed =
        assertThrows(ServerException.class, () -> new ExampleServer().serve(config(0)));
    assertEquals(4, unsealed.exit().code(), unsealed.getMessage());
  }

  @Test
  void aModelOfSeveralFilesIsServedFromTheStoreAlone() throws Exception {
    Path given = Path.of("src", "test", "model"); // tests run in the module's folder
    Path copied = folder.resolve("copied");
    Files.createDirectories(copied.resolve("parts"));
    for (String file :
        List.of(
            "model.json",
            "orders.ecore",
            "parts.ecore",
            "book.xmi",
            "more.xmi",
            "parts/screws.xmi")) {
      Files.copy(given.resolve(file), copied.resolve(file));
    }
    Path model = copied.resolve("model.json");
    ServerConfig config = config(model, 0);
    new ExampleServer().load(config, (done, total) -> {});
    Stores.delete(copied);
    String query = "return Order.all.select(o | o.`static` and o.value = 3);";
    try (ToolServer.Running server = new ExampleServer().serve(config);
        Driver.Session session = open(server.endpoints().get("http"), 10_000)) {
      Outcome outcome = session.execute(operation(query));
      assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
      Ids.Longs found = (Ids.Longs) outcome.ids();
      String source = given.resolve("model.json").toString();
      long[] right = Oracle.evaluate(source, "eol", query, new String[] {"order"});
      assertEquals(2, right.length);
      assertEquals(
          Oracle.digest(right, 1),
          Oracle.digest(java.util.Arrays.copyOf(found.values(), found.size()), 1));
    }
  }
}
