package org.modelstress.models;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.eclipse.emf.ecore.EObject;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

/** OCL, EOL, EPL and plain Java find the same matches for every query. */
class AgreementTest {
  @TempDir private Path folder;

  /** Evaluates all queries in all ways, checks that they agree; returns query to count. */
  private Map<String, Integer> agree(Path model) throws Exception {
    Map<String, Integer> counts = new TreeMap<>();
    for (Map.Entry<String, String[]> query : TrainQueries.tuples().entrySet()) {
      String name = query.getKey();
      int arity = query.getValue().length;
      long[] expected = Oracle.match(model.toString(), name);
      for (String language : Oracle.LANGUAGES) {
        String text = TrainQueries.text(language, name);
        long[] found = Oracle.evaluate(model.toString(), language, text, query.getValue());
        String which = model.getFileName() + " " + language + " " + name;
        assertEquals(expected.length, found.length, which);
        assertEquals(Oracle.digest(expected, arity), Oracle.digest(found, arity), which);
      }
      counts.put(name, expected.length / arity);
    }
    return counts;
  }

  private Path generate(Line line, Scenario scenario, int size, String extension)
      throws ModelException {
    Path file = folder.resolve(line + "-" + scenario + "-" + size + extension);
    EObject root = TrainGenerator.generate(line, scenario, size, TrainGenerator.DEFAULT_SEED);
    ModelFiles.save(root, file);
    return file;
  }

  private static Stream<Arguments> smallModels() {
    List<Arguments> models = new ArrayList<>();
    for (Line line : Line.values()) {
      for (Scenario scenario : Scenario.values()) {
        for (int size : new int[] {1, 2, 4}) {
          models.add(Arguments.of(line, scenario, size));
        }
      }
    }
    return models.stream();
  }

  @ParameterizedTest
  @MethodSource("smallModels")
  void onGeneratedModels(Line line, Scenario scenario, int size) throws Exception {
    Map<String, Integer> counts = agree(generate(line, scenario, size, ".bin"));
    assertEquals(6, counts.size());
    int total = counts.values().stream().mapToInt(n -> n).sum();
    assertEquals(scenario != Scenario.BATCH, total > 0, counts.toString());
  }

  /** The counts follow by hand from corners.xmi. */
  @Test
  void onCornerCases() throws Exception {
    Path file = folder.resolve("corners.xmi");
    try (InputStream in = getClass().getResourceAsStream("corners.xmi")) {
      Files.copy(in, file);
    }
    assertEquals(
        Map.of(
            "PosLength", 3,
            "SwitchMonitored", 1,
            "RouteSensor", 2,
            "SwitchSet", 1,
            "ConnectedSegments", 6,
            "SemaphoreNeighbor", 8),
        agree(file));
    // semaphore 51, route 1, switch position 11, switch 21
    String text = TrainQueries.text("ocl", "SwitchSet");
    String[] tuple = TrainQueries.tuples().get("SwitchSet");
    assertEquals(
        List.of(18L, 1L, 2L, 14L), list(Oracle.evaluate(file.toString(), "ocl", text, tuple)));
  }

  private static List<Long> list(long[] values) {
    return Stream.of(values).flatMapToLong(java.util.Arrays::stream).boxed().toList();
  }

  /** With the marker replaced by a true condition the same matches are found. */
  @ParameterizedTest
  @ValueSource(strings = {"ocl", "eol", "epl"})
  void onUniqueTexts(String language) throws Exception {
    String model = generate(Line.LINE_2016, Scenario.REPAIR, 1, ".xmi").toString();
    for (Map.Entry<String, String[]> query : TrainQueries.tuples().entrySet()) {
      String text = TrainQueries.text(language, query.getKey());
      String unique = text.replace("/*unique*/", " and 17 = 17");
      assertTrue(unique.length() > text.length(), query.getKey() + " has no marker");
      String never = text.replace("/*unique*/", " and 17 = 18");
      int arity = query.getValue().length;
      assertEquals(
          Oracle.digest(Oracle.match(model, query.getKey()), arity),
          Oracle.digest(Oracle.evaluate(model, language, unique, query.getValue()), arity));
      // the condition is really part of the query
      assertEquals(0, Oracle.evaluate(model, language, never, query.getValue()).length);
    }
  }

  @Test
  @Tag("long")
  void onTheModelOfThePaper() throws Exception {
    assertEquals(
        Map.of(
            "PosLength", 3_824,
            "SwitchMonitored", 35,
            "RouteSensor", 615,
            "SwitchSet", 114,
            "ConnectedSegments", 377,
            "SemaphoreNeighbor", 91),
        agree(generate(Line.LINE_2016, Scenario.REPAIR, 32, ".bin")));
  }
}
