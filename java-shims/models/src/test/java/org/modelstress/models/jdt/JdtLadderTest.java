package org.modelstress.models.jdt;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.GrabatsQueries;
import org.modelstress.models.Hashes;
import org.modelstress.models.ModelSource;
import org.modelstress.models.ModelText;
import org.modelstress.models.grabats.SingletonMatcher;
import org.modelstress.models.jdt.JdtExtractor.Counts;
import org.modelstress.models.jdt.JdtExtractor.Split;

/** The first steps of the ladder from the published sources, which Maven puts below target. */
class JdtLadderTest {
  private static final Pattern SOURCES =
      Pattern.compile("artifact: (\\S+)\\s+version: (\\S+)\\s+sha256: (\\S+)");

  @TempDir private Path folder;

  /** The sources of a step, after a look at their hashes in config/jdt-ladder.yaml. */
  private static List<Path> sources(int step) throws IOException {
    String ladder = Files.readString(Path.of("..", "..", "config", "jdt-ladder.yaml"));
    List<Path> jars = new ArrayList<>();
    Matcher each = SOURCES.matcher(ladder);
    while (jars.size() < 2 * (step + 1)) { // each of the two first steps adds two
      assertTrue(each.find());
      Path jar = Path.of("target", "ladder", each.group(1) + "-" + each.group(2) + "-sources.jar");
      assertEquals(each.group(3), Hashes.sha256(jar), jar.toString());
      jars.add(jar);
    }
    return jars;
  }

  private void check(int step, int units, int nodes, int singletons) throws Exception {
    Path model = folder.resolve("jdt" + step);
    Counts counts = JdtExtractor.extract(sources(step), Split.SINGLE, model, (done, of) -> {});
    assertEquals(
        List.of(units, nodes, singletons),
        List.of((int) counts.units(), (int) counts.nodes(), (int) counts.singletons()));
    Path description = model.resolve("model.json");
    ModelSource read = ModelSource.read(description);
    SingletonMatcher matcher = new SingletonMatcher(read.roots(), read.metamodels());
    long[] expected = new ElementIndex(read.roots()).indicesOf(matcher.matches());
    assertEquals(List.of(nodes, singletons), List.of((int) matcher.nodes(), expected.length));
    for (String file : GrabatsQueries.FILES) {
      assertArrayEquals(expected, GrabatsQueries.singletons(description, file), file);
    }
  }

  @Test
  void jdt0() throws Exception {
    check(0, 68, 62_695, 2);
  }

  @Test
  @Tag("long")
  void jdt1() throws Exception {
    check(1, 210, 202_130, 8);
  }

  @Test
  @Tag("long")
  void jdt0InFragments() throws Exception {
    List<List<String>> texts = new ArrayList<>();
    for (Split split : Split.values()) {
      Path model = folder.resolve(split.toString());
      JdtExtractor.extract(sources(0), split, model, (done, of) -> {});
      texts.add(ModelText.of(ModelSource.read(model.resolve("model.json")).roots()));
    }
    assertTrue(texts.get(0).size() > 62_695);
    assertEquals(texts.get(0), texts.get(1));
    assertEquals(texts.get(0), texts.get(2));
  }
}
