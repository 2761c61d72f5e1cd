package org.modelstress.hawk.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.Backends;
import org.modelstress.hawk.query.Fidelity;
import org.modelstress.models.jdt.JdtExtractor.Split;

/** The GraBaTs queries find the singletons of Java programs that have what looks like them. */
@Timeout(300)
class SingletonTest {
  private static final List<String> QUERIES =
      List.of("HQ1.eol", "HQ1.epl", "HQ2.eol", "HQ3.eol", "HQ4.eol");

  /** In the class and the interface four: itself, a class, an interface, one in an annotation. */
  private static final int SINGLETONS = 4 + 4 + 3 + 3;

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"neo4j,UNIT", "orientdb,SINGLE"})
  void everyQueryFindsThem(String database, Split split) throws Exception {
    Backend backend = Backends.named(database);
    Path model = JavaSources.withEverything().extract(folder, split);
    List<Long> expected = GrabatsFixture.singletons(model);
    assertEquals(SINGLETONS, expected.size());
    Path live = folder.resolve("live");
    TrainFixture.build(model, GrabatsFixture.attributes(), backend, live);
    for (Fidelity fidelity : Fidelity.values()) {
      try (LiveIndex index = LiveIndex.open(backend, live, 16, fidelity)) {
        LongArrayList nodes = new IndexFolder(live).readIds(index.graph());
        for (String query : QUERIES) {
          List<Long> found =
              GrabatsFixture.run(index, query).stream().map(n -> (long) nodes.indexOf(n)).toList();
          assertEquals(expected, found.stream().sorted().toList(), fidelity + " " + query);
        }
        assertEquals(3, index.catalog().metamodels().size());
        assertTrue(
            index.catalog().declarations().stream().allMatch(index.catalog()::isComplete),
            "every method and type has its derived attributes");
      }
    }
  }
}
