package org.modelstress.hawk.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.neo4j.Neo4jBackend;
import org.modelstress.hawk.graph.orient.OrientBackend;
import org.modelstress.models.jdt.JdtExtractor.Split;

/**
 * After any edits of Java sources the index updated by files is the one that would be built anew.
 */
@Timeout(300)
class FileUpdatePropertyTest {
  private static final String PACKAGE_NAME = "self.eContainer.eContainer.elementName";
  private static final String CORE = "http://modelstress.org/jdtast/Core";

  @TempDir Path folder;

  /** The study's, and some that read across files, in both directions. */
  private static List<AttributeDeclaration> declarations() throws Exception {
    List<AttributeDeclaration> all = new ArrayList<>(GrabatsFixture.attributes());
    all.add(
        derived(
            CORE,
            "IPackageFragment",
            "members",
            "Integer",
            "self.compilationUnits.collect(u |"
                + " u.ast.types.collect(t | t.bodyDeclarations.size()).sum()).sum()"));
    all.add(derived(GrabatsFixture.DOM, "CompilationUnit", "inPackage", "String", PACKAGE_NAME));
    all.add(derived(CORE, "IJavaModel", "methods", "Integer", "MethodDeclaration.all.size()"));
    all.add(
        derived(
            GrabatsFixture.DOM,
            "TypeDeclaration",
            "publics",
            "Integer",
            "self.bodyDeclarations.select(b | b.isKindOf(MethodDeclaration) and b.isPublic).size()"));
    return all;
  }

  private static AttributeDeclaration derived(
      String metamodel, String type, String name, String valueType, String logic) {
    return AttributeDeclaration.of(
        Map.of(
            "kind", "derived",
            "metamodel", metamodel,
            "type", type,
            "name", name,
            "value_type", valueType,
            "logic", logic));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void updatingEqualsBuildingAnew(long seed) throws Exception {
    check(new MemoryBackend(), seed, 6);
  }

  @ParameterizedTest
  @ValueSource(longs = 4)
  void updatingNeo4jEqualsBuildingAnew(long seed) throws Exception {
    check(new Neo4jBackend(), seed, 2);
  }

  @ParameterizedTest
  @ValueSource(longs = 5)
  void updatingOrientDbEqualsBuildingAnew(long seed) throws Exception {
    check(new OrientBackend(), seed, 2);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(longs = {101, 102, 103, 104, 105, 106})
  void manyMoreEdits(long seed) throws Exception {
    check(seed % 3 == 0 ? new Neo4jBackend() : new MemoryBackend(), seed, 60);
  }

  private void check(Backend backend, long seed, int rounds) throws Exception {
    Random random = new Random(seed);
    JavaSources sources = JavaSources.random(seed);
    Path model = sources.extract(folder, Split.UNIT);
    Path live = folder.resolve("live");
    TrainFixture.build(model, declarations(), backend, live);
    boolean updated = false;
    boolean found = false;
    try (LiveIndex index = TrainFixture.open(backend, live)) {
      for (int round = 0; round < rounds; round++) {
        List<String> done = new ArrayList<>();
        for (int i = random.nextInt(round % 2 == 0 ? 1 : 6); i >= 0; i--) {
          done.add(sources.edit());
        }
        sources.extract(folder, Split.UNIT);
        index.synchronise(true);
        boolean unchanged = index.lastUpdate().equals(UpdateCounts.NONE);
        assertTrue(unchanged || index.message().contains(" by "), index.message());
        assertSame(model, index, "round " + round + " after " + done);
        List<Long> singletons = GrabatsFixture.run(index, "HQ4.eol");
        assertEquals(GrabatsFixture.singletons(model).size(), singletons.size());
        assertEquals(singletons, GrabatsFixture.run(index, "HQ1.eol"));
        assertEquals(singletons, GrabatsFixture.run(index, "HQ3.eol"));
        updated |= !unchanged;
        found |= !singletons.isEmpty();
      }
    }
    assertTrue(updated && found, "the edits were of no consequence");
  }

  private void assertSame(Path model, LiveIndex index, String when) throws Exception {
    MemoryBackend reference = new MemoryBackend();
    Path fresh = folder.resolve("fresh");
    TrainFixture.build(model, declarations(), reference, fresh);
    try (LiveIndex built = TrainFixture.open(reference, fresh)) {
      LongArrayList nodes = new IndexFolder(fresh).readIds(built.graph());
      List<String> expected = IndexImage.of(built, nodes);
      List<String> actual = IndexImage.of(index, Twins.of(built, nodes, index));
      for (int i = 0; i < expected.size(); i++) {
        assertEquals(expected.get(i), actual.get(i), when);
      }
      assertEquals(expected.size(), actual.size(), when);
      assertFalse(expected.isEmpty());
    }
  }
}
