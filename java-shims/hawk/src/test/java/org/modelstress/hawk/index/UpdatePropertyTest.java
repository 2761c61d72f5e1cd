package org.modelstress.hawk.index;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.eclipse.emf.ecore.EObject;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.neo4j.Neo4jBackend;
import org.modelstress.hawk.graph.orient.OrientBackend;

/** After any edits of the model file the updated index is the one that would be built anew. */
@Timeout(300)
class UpdatePropertyTest {
  @TempDir Path folder;

  /** Derived attributes that depend on all that one can depend on. */
  private static List<Map<String, Object>> everyDependency() {
    List<Map<String, Object>> entries = new ArrayList<>(TrainFixture.entries());
    entries.add(
        TrainFixture.entry(
            "Region",
            "busiest",
            "Integer",
            "self.sensors.collect(s | s.nMonitoredSegments).max()"));
    entries.add(
        TrainFixture.entry(
            "Sensor",
            "requiring",
            "Integer",
            "self.revRefNav_requires.select(r | r.active).size()"));
    entries.add(TrainFixture.entry("Semaphore", "place", "Integer", "self.eContainer.length"));
    entries.add(
        TrainFixture.entry(
            "Route", "faults", "Integer", "Segment.all.select(s | s.length <= 0).size()"));
    entries.add(
        TrainFixture.entry(
            "Route", "unmonitored", "Integer", "Switch.all.select(s | not s.isMonitored).size()"));
    entries.add(
        TrainFixture.entry(
            "TrackElement",
            "steps",
            "Integer",
            "self.connectsTo.collect(t | t.connectsTo.size()).sum()"));
    entries.add(TrainFixture.entry("RailwayElement", "inside", "Integer", "self.eContents.size()"));
    return entries;
  }

  @ParameterizedTest
  @CsvSource({"1,true", "2,true", "3,false", "4,false"})
  void updatingEqualsBuildingAnew(long seed, boolean named) throws Exception {
    check(new MemoryBackend(), seed, named, 8, TrainFixture.entries());
  }

  @ParameterizedTest
  @CsvSource({"11,true", "12,false"})
  void updatingEqualsBuildingAnewWhateverIsRead(long seed, boolean named) throws Exception {
    check(new MemoryBackend(), seed, named, 8, everyDependency());
  }

  @ParameterizedTest
  @CsvSource({"5,true", "6,false"})
  void updatingNeo4jEqualsBuildingAnew(long seed, boolean named) throws Exception {
    check(new Neo4jBackend(), seed, named, 3, everyDependency());
  }

  @ParameterizedTest
  @CsvSource({"7,true", "8,false"})
  void updatingOrientDbEqualsBuildingAnew(long seed, boolean named) throws Exception {
    check(new OrientBackend(), seed, named, 3, everyDependency());
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(longs = {101, 102, 103, 104, 105, 106, 107, 108, 109, 110})
  void manyMoreModelsAndEdits(long seed) throws Exception {
    check(new MemoryBackend(), seed, seed % 2 == 0, 60, everyDependency());
  }

  private void check(
      Backend backend, long seed, boolean named, int rounds, List<Map<String, Object>> entries)
      throws Exception {
    List<AttributeDeclaration> declarations = TrainFixture.declarations(entries);
    MemoryBackend reference = new MemoryBackend();
    Random random = new Random(seed);
    EObject root = TrainFixture.model(seed);
    if (!named) {
      RandomEdits.removeIds(root);
    }
    Path model = TrainFixture.save(root, folder.resolve("model.xmi"));
    Path live = folder.resolve("live");
    TrainFixture.build(model, declarations, backend, live);
    try (LiveIndex index = TrainFixture.open(backend, live)) {
      RandomEdits edits = new RandomEdits(root, seed, named);
      for (int round = 0; round < rounds; round++) {
        List<String> done = new ArrayList<>();
        for (int i = random.nextInt(round % 2 == 0 ? 3 : 30); i >= 0; i--) {
          done.add(edits.edit());
        }
        TrainFixture.save(root, model);
        index.synchronise(true);
        Path fresh = folder.resolve("fresh" + round);
        TrainFixture.build(model, declarations, reference, fresh);
        try (LiveIndex built = TrainFixture.open(reference, fresh)) {
          assertSame(
              IndexImage.of(built, new IndexFolder(fresh)),
              IndexImage.of(index, new IndexFolder(live)),
              "round " + round + " after " + done);
        }
      }
    }
  }

  /** As assertEquals, with the first difference only. */
  private static void assertSame(List<String> expected, List<String> actual, String when) {
    for (int i = 0; i < Math.min(expected.size(), actual.size()); i++) {
      assertEquals(expected.get(i), actual.get(i), when);
    }
    assertEquals(expected.size(), actual.size(), when);
  }
}
