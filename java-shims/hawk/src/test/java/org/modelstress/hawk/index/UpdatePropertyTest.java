package org.modelstress.hawk.index;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.eclipse.emf.ecore.EObject;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.neo4j.Neo4jBackend;

/** After any edits of the model file the updated index is the one that would be built anew. */
@Timeout(300)
class UpdatePropertyTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"1,true", "2,true", "3,false", "4,false"})
  void updatingEqualsBuildingAnew(long seed, boolean named) throws Exception {
    check(new MemoryBackend(), new MemoryBackend(), seed, named, 15);
  }

  @ParameterizedTest
  @CsvSource({"5,true", "6,false"})
  void updatingNeo4jEqualsBuildingAnew(long seed, boolean named) throws Exception {
    check(new Neo4jBackend(), new MemoryBackend(), seed, named, 5);
  }

  private void check(Backend backend, Backend reference, long seed, boolean named, int rounds)
      throws Exception {
    List<AttributeDeclaration> declarations = TrainFixture.declarations(TrainFixture.entries());
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
