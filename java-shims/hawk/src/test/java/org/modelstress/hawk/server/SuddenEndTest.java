package org.modelstress.hawk.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.hawk.index.TrainFixture;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

/** The program killed at any moment of a load never serves a half index; the next load is whole. */
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
  @CsvSource({"neo4j,false", "neo4j,true", "orientdb,false", "orientdb,true"})
  void aKilledLoadIsNoStoreAndCanBeRepeated(String backend, boolean deriving) throws Exception {
    try (HawkProcess load = new HawkProcess("load", config(backend, true))) {
      load.awaitProgress(deriving ? elements + 1 : 0);
      load.kill();
      assertEquals(137, load.awaitExit(), "killed, not ended");
    }
    try (HawkProcess serve = new HawkProcess("serve", config(backend, true))) {
      assertEquals(4, serve.awaitExit(), serve.lastError());
      assertTrue(serve.lastError().startsWith("error: "), serve.lastError());
      assertTrue(serve.lastError().contains("run load first"), serve.lastError());
    }
    load(backend);
    try (HawkProcess serve = new HawkProcess("serve", config(backend, false))) {
      String ready = serve.awaitLine("READY ");
      assertTrue(ready.contains("tcp://127.0.0.1:"), ready);
      serve.terminate();
      int code = serve.awaitExit();
      assertTrue(code == 143 || code == 0, "exit code " + code);
    }
  }

  private void load(String backend) throws Exception {
    try (HawkProcess load = new HawkProcess("load", config(backend, false))) {
      assertEquals(0, load.awaitExit(), load.lastError());
    }
  }
}
