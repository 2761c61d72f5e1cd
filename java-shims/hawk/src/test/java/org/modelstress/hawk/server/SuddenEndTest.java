package org.modelstress.hawk.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.thrift.TException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.hawk.Main;
import org.modelstress.hawk.api.Hawk;
import org.modelstress.hawk.api.HawkInstanceNotRunning;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.index.TrainFixture;
import org.modelstress.hawk.query.Language;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.thrift.client.ApiClient;
import org.modelstress.thrift.server.ServerProcess;

/**
 * The program killed at any moment of a load or an update never serves a half index; the next load
 * or start is whole.
 */
@Timeout(240)
class SuddenEndTest {
  @TempDir Path folder;
  private Path model;
  private long elements;
  private int works;

  @BeforeEach
  void save() throws Exception {
    var root = TrainGenerator.generate(Line.LINE_2017, Scenario.REPAIR, 4, 1);
    elements = 1;
    for (var all = root.eAllContents(); all.hasNext(); all.next()) {
      elements++;
    }
    model = TrainFixture.save(root, folder.resolve("train.xmi"));
  }

  private ServerConfig config(String backend, boolean slow) {
    List<Map<String, Object>> attributes = new ArrayList<>(TrainFixture.entries());
    if (slow) {
      // takes long enough to be killed while it is computed
      attributes.add(
          TrainFixture.entry(
              "Segment", "slow", "Integer", "Segment.all.select(s | s.length > 0).size()"));
    }
    return new ServerConfig(
        "hawk",
        backend,
        model,
        folder.resolve("store"),
        folder.resolve("work" + works++),
        "127.0.0.1",
        Map.of("tcp", 0),
        attributes,
        Map.of("cache_mb", 16));
  }

  @ParameterizedTest
  @CsvSource({"neo4j,true", "orientdb,false"})
  void aKilledLoadIsNoStoreAndCanBeRepeated(String backend, boolean deriving) throws Exception {
    killLoad(backend, deriving);
  }

  @ParameterizedTest
  @Tag("long")
  @CsvSource({"neo4j,false", "orientdb,true"})
  void loadsKilledAtOtherTimesAreNoStores(String backend, boolean deriving) throws Exception {
    killLoad(backend, deriving);
  }

  private void killLoad(String backend, boolean deriving) throws Exception {
    try (ServerProcess load = new ServerProcess(Main.class, "load", config(backend, true))) {
      load.awaitProgress(deriving ? elements + 1 : 0);
      load.kill();
      assertEquals(137, load.awaitExit(), "killed, not ended");
    }
    try (ServerProcess serve = new ServerProcess(Main.class, "serve", config(backend, true))) {
      assertEquals(4, serve.awaitExit(), serve.lastError());
      assertTrue(serve.lastError().startsWith("error: "), serve.lastError());
      assertTrue(serve.lastError().contains("run load first"), serve.lastError());
    }
    load(backend);
    try (ServerProcess serve = new ServerProcess(Main.class, "serve", config(backend, false))) {
      assertEquals(Set.of("tcp"), serve.awaitReady().keySet());
      serve.terminate();
      int code = serve.awaitExit();
      assertTrue(code == 143 || code == 0, "exit code " + code);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"neo4j", "orientdb"})
  void aKilledUpdateIsForgottenAndCanBeRepeated(String backend) throws Exception {
    TrainFixture.save(TrainGenerator.generate(Line.LINE_2017, Scenario.REPAIR, 2, 1), model);
    load(backend);
    ServerConfig config = config(backend, false);
    int before;
    try (ServerProcess serve = new ServerProcess(Main.class, "serve", config)) {
      ApiClient client = new ApiClient(serve.awaitReady().get("tcp"));
      before = segments(client);
      TrainFixture.save(TrainGenerator.generate(Line.LINE_2017, Scenario.REPAIR, 6, 1), model);
      client.syncInstance("modelstress", false);
      // the update is known to be under way when queries are refused
      assertThrows(HawkInstanceNotRunning.class, () -> segments(client));
      serve.kill();
      assertEquals(137, serve.awaitExit(), "killed, not ended");
    }
    try (ServerProcess serve = new ServerProcess(Main.class, "serve", config)) {
      ApiClient client = new ApiClient(serve.awaitReady().get("tcp"));
      assertEquals(before, segments(client), "the store is as it was loaded");
      client.syncInstance("modelstress", true);
      assertTrue(segments(client) > 2 * before, "the bigger model");
    }
  }

  private static int segments(Hawk.Client client) throws TException {
    String query = "return Segment.all.size();";
    return client
        .query("modelstress", query, Language.EOL.id(), new HawkQueryOptions())
        .getVInteger();
  }

  private void load(String backend) throws Exception {
    try (ServerProcess load = new ServerProcess(Main.class, "load", config(backend, false))) {
      assertEquals(0, load.awaitExit(), load.lastError());
    }
  }
}
