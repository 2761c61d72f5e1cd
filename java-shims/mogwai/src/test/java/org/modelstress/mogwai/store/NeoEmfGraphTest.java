package org.modelstress.mogwai.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.inria.atlanmod.neoemf.data.blueprints.neo4j.option.BlueprintsNeo4jResourceOptions.CacheType;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.server.Stores;
import org.modelstress.models.Metamodels;
import org.neo4j.kernel.GraphDatabaseAPI;
import org.neo4j.unsafe.batchinsert.BatchInserters;

/** Opening databases: wherever they are, by how many threads, and when they are not right. */
@Timeout(240)
class NeoEmfGraphTest {
  @TempDir Path folder;
  private Path database;

  @BeforeEach
  void load() throws Exception {
    database = folder.resolve("graph");
    BulkLoader.load(
        StoreProgram.model(), database, folder.resolve("ids.mssf"), "hash", (done, total) -> {});
  }

  private static NeoEmfGraph open(Path path, CacheType cacheType) {
    return NeoEmfGraph.open(path, Metamodels.registry(), new StoreOptions(cacheType, 16));
  }

  private static void assertRefused(Path path, String part) {
    StoreException e = assertThrows(StoreException.class, () -> open(path, CacheType.SOFT));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @ParameterizedTest
  @EnumSource(CacheType.class)
  void manyThreadsReadTheSame(CacheType cacheType) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try (NeoEmfGraph graph = open(database, cacheType)) {
      assertEquals(cacheType.toString(), config(graph).get("cache_type"));
      List<Future<List<String>>> images = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        images.add(threads.submit(() -> Images.graph(graph, Map.of())));
      }
      for (Future<List<String>> image : images) {
        assertEquals(images.get(0).get(), image.get());
      }
      assertTrue(images.get(0).get().size() > 10_000, "vertices and edges");
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void mappedMemoryIsBounded() {
    try (NeoEmfGraph graph = open(database, CacheType.NONE)) {
      long megabytes = 0;
      int files = 0;
      for (Map.Entry<String, String> setting : config(graph).entrySet()) {
        if (setting
            .getKey()
            .matches(
                ".*(nodestore|relationshipstore|propertystore)\\.db"
                    + "(\\.strings|\\.arrays)?\\.mapped_memory")) {
          megabytes += Long.parseLong(setting.getValue().replace("M", ""));
          files++;
        }
      }
      assertEquals(5, files);
      assertTrue(megabytes <= 16, megabytes + " MiB");
    }
    assertThrows(IllegalArgumentException.class, () -> new StoreOptions(CacheType.NONE, 4));
  }

  @SuppressWarnings("deprecation")
  private static Map<String, String> config(NeoEmfGraph graph) {
    return ((org.neo4j.kernel.InternalAbstractGraphDatabase) graph.database())
        .getConfig()
        .getParams();
  }

  @SuppressWarnings("deprecation")
  private static Path storeDir(NeoEmfGraph graph) {
    return Path.of(((GraphDatabaseAPI) graph.database()).getStoreDir());
  }

  @Test
  void aCopyIsOpenedWhereItIs() throws Exception {
    List<String> image;
    try (NeoEmfGraph graph = open(database, CacheType.SOFT)) {
      assertEquals(database, storeDir(graph));
      image = Images.graph(graph, Map.of());
    }
    Path copy = folder.resolve("a copy of another name");
    copy(database, copy);
    try (NeoEmfGraph first = open(database, CacheType.SOFT);
        NeoEmfGraph second = open(copy, CacheType.SOFT)) {
      assertEquals(copy, storeDir(second));
      assertEquals(image, Images.graph(second, Map.of()));
      assertEquals(database, storeDir(first));
    }
    Stores.delete(database);
    open(copy, CacheType.SOFT).close();
    assertFalse(Files.exists(database));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (var files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "neostore",
        "neostore.nodestore.db",
        "neostore.relationshipstore.db",
        "neostore.relationshiptypestore.db",
        "neostore.propertystore.db",
        "neostore.propertystore.db.index",
        "neostore.propertystore.db.strings"
      })
  void damagedFilesAreRefused(String name) throws Exception {
    Path file = database.resolve(name);
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, whole.length - 20));
    assertRefused(database, name + " is not complete");
    Files.write(file, new byte[0]);
    assertRefused(database, name + " is not complete");
    int end = whole.length - "v0.A.0".length();
    byte[] older = whole.clone();
    System.arraycopy("v0.9.9".getBytes(StandardCharsets.UTF_8), 0, older, end, 6);
    Files.write(file, older);
    assertRefused(database, "v0.9.9");
    Files.delete(file);
    assertRefused(database, name.equals("neostore") ? "load it first" : "is not complete");
  }

  @Test
  void whatIsNoNeoEmfDatabaseIsRefused() throws Exception {
    assertRefused(folder.resolve("nothing"), "No NeoEMF database");
    Path other = folder.resolve("other");
    BatchInserters.inserter(other.toString()).shutdown();
    assertRefused(other, "holds no NeoEMF model");
    Stores.delete(database.resolve("index"));
    assertRefused(database, "load it again");
    assertRefused(folder.resolve("a,b"), "comma");
  }

  @Test
  void aDatabaseInUseIsRefused() throws Exception {
    try (NeoEmfGraph graph = open(database, CacheType.SOFT)) {
      assertEquals(database, storeDir(graph));
      assertRefused(database, "is in use");
    }
    Process other = StoreProgram.start(List.of(), "hold", database);
    try (BufferedReader out = other.inputReader()) {
      assertEquals("open", out.readLine());
      assertRefused(database, "is in use");
      other.getOutputStream().close();
      assertTrue(other.waitFor(60, TimeUnit.SECONDS), "the other process ends");
    } finally {
      other.destroyForcibly();
    }
    open(database, CacheType.SOFT).close();
  }

  @Test
  void nothingKeepsAProcessAliveThatHasClosedItsDatabase() throws Exception {
    Process program = StoreProgram.start(List.of(), "visit", database);
    try {
      assertTrue(program.waitFor(60, TimeUnit.SECONDS), "main has returned");
      assertEquals(0, program.exitValue());
    } finally {
      program.destroyForcibly();
    }
  }
}
