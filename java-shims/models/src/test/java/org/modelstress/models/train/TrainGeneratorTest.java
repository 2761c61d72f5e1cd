package org.modelstress.models.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.eclipse.emf.ecore.EObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.models.ModelCount;
import org.modelstress.models.ModelFiles;

class TrainGeneratorTest {
  private static final List<String> ONE_DIRECTION =
      List.of(
          "sensors",
          "elements",
          "follows",
          "target",
          "requires",
          "entry",
          "exit",
          "monitoredBy",
          "connectsTo",
          "semaphores");

  private static EObject generate(Line line, Scenario scenario, int size) {
    return TrainGenerator.generate(line, scenario, size, TrainGenerator.DEFAULT_SEED);
  }

  private static Map<String, Integer> matches(EObject root) {
    TrainMatcher matcher = new TrainMatcher(root);
    Map<String, Integer> counts = new TreeMap<>();
    for (String query : matcher.queries()) {
      counts.put(query, matcher.matches(query).size() / matcher.arity(query));
    }
    return counts;
  }

  @Test
  void modelOfThePaper() {
    EObject root = generate(Line.LINE_2016, Scenario.REPAIR, 32);
    ModelCount count = ModelCount.of(List.of(root));
    assertEquals(49_333 + 1, count.elements());
    assertEquals(
        Map.of(
            "RailwayContainer", 1L,
            "Route", 160L,
            "Region", 160L,
            "Semaphore", 160L,
            "SwitchPosition", 1_501L,
            "Segment", 38_272L,
            "Switch", 1_501L,
            "Sensor", 7_579L),
        count.perClass());
    Map<String, Long> references = new TreeMap<>(count.perReference());
    references.keySet().retainAll(ONE_DIRECTION);
    assertEquals(
        Map.of(
            "sensors", 7_579L,
            "elements", 39_773L,
            "follows", 1_501L,
            "target", 1_501L,
            "requires", 5_520L,
            "entry", 125L,
            "exit", 160L,
            "monitoredBy", 44_407L,
            "connectsTo", 39_773L,
            "semaphores", 160L),
        references);
    assertEquals(
        Map.of(
            "PosLength", 3_824,
            "SwitchMonitored", 35,
            "RouteSensor", 615,
            "SwitchSet", 114,
            "ConnectedSegments", 377,
            "SemaphoreNeighbor", 91),
        matches(root));
  }

  @Test
  void lengthsOfThePaper() {
    EObject root = generate(Line.LINE_2016, Scenario.REPAIR, 32);
    Set<Object> lengths = new HashSet<>();
    for (EObject segment : new TrainMatcher(root).matches("PosLength")) {
      lengths.add(segment.eGet(Train.LENGTH));
    }
    assertEquals(978, lengths.size());
  }

  @Test
  void smallModelOfToday() {
    EObject root = generate(Line.LINE_2017, Scenario.REPAIR, 1);
    ModelCount count = ModelCount.of(List.of(root));
    assertEquals(741 + 1, count.elements());
    assertEquals(564, count.perClass().get("Segment"));
    assertEquals(25, count.perClass().get("Switch"));
    assertEquals(112, count.perClass().get("Sensor"));
    long edges = ONE_DIRECTION.stream().mapToLong(r -> count.perReference().get(r)).sum();
    assertEquals(2_100, edges);
    assertEquals(
        Map.of(
            "PosLength", 52,
            "SwitchMonitored", 0,
            "RouteSensor", 12,
            "SwitchSet", 1,
            "ConnectedSegments", 4,
            "SemaphoreNeighbor", 8),
        matches(root));
  }

  @ParameterizedTest
  @EnumSource(Line.class)
  void batchHasNoMatch(Line line) {
    Map<String, Integer> matches = matches(generate(line, Scenario.BATCH, 8));
    assertTrue(matches.values().stream().allMatch(n -> n == 0), matches.toString());
  }

  /** In the 2016 line the tracks always form one ring. */
  @ParameterizedTest
  @EnumSource(Scenario.class)
  void tracksFormARing(Scenario scenario) {
    ModelCount count = ModelCount.of(List.of(generate(Line.LINE_2016, scenario, 3)));
    assertEquals(count.perReference().get("elements"), count.perReference().get("connectsTo"));
  }

  /** In the 2017 line about one or two links in a thousand are missing, but none in batch. */
  @Test
  void todaysTracksHaveGaps() {
    for (Scenario scenario : Scenario.values()) {
      ModelCount count = ModelCount.of(List.of(generate(Line.LINE_2017, scenario, 32)));
      long tracks = count.perReference().get("elements");
      double gaps = 1000.0 * (tracks - count.perReference().get("connectsTo")) / tracks;
      assertEquals(scenario.missingLinksPerMille(), gaps, 0.5, scenario.toString());
    }
  }

  @Test
  void idsAreDistinctAndBeginAtOne() {
    EObject root = generate(Line.LINE_2016, Scenario.INJECT, 2);
    Set<Integer> ids = new HashSet<>();
    root.eAllContents().forEachRemaining(e -> assertTrue(ids.add((Integer) e.eGet(Train.ID))));
    assertEquals(1, ids.stream().mapToInt(i -> i).min().orElseThrow());
    assertEquals(ids.size(), ids.stream().mapToInt(i -> i).max().orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(strings = {"m.xmi", "m.bin"})
  void sameSeedSameBytes(String name, @TempDir Path folder) throws Exception {
    Path[] files = {folder.resolve("1" + name), folder.resolve("2" + name)};
    for (Path file : files) {
      ModelFiles.save(generate(Line.LINE_2016, Scenario.REPAIR, 2), file);
    }
    assertArrayEquals(Files.readAllBytes(files[0]), Files.readAllBytes(files[1]));
    ModelFiles.save(TrainGenerator.generate(Line.LINE_2016, Scenario.REPAIR, 2, 1), files[1]);
    assertNotEquals(Files.size(files[0]), Files.size(files[1]));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, TrainGenerator.MAX_SIZE + 1})
  void sizeOutOfRange(int size) {
    assertThrows(
        IllegalArgumentException.class, () -> generate(Line.LINE_2016, Scenario.BATCH, size));
  }
}
