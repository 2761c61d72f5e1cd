package org.modelstress.mogwai.gremlin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.models.Metamodels;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

/** The Train Benchmark's queries over the graph find what Eclipse OCL finds in memory. */
class TrainQueriesTest {
  private static final Path QUERIES = Path.of("../../queries/train/ocl");

  private static LoadedModel model;

  @BeforeAll
  static void load() throws Exception {
    model =
        new LoadedModel(
            TrainGenerator.generate(
                Line.LINE_2016, Scenario.REPAIR, 1, TrainGenerator.DEFAULT_SEED),
            Metamodels.registry());
  }

  @AfterAll
  static void close() {
    model.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PosLength.ocl",
        "SwitchMonitored.ocl",
        "RouteSensor.ocl",
        "SwitchSet.ocl",
        "ConnectedSegments.ocl",
        "SemaphoreNeighbor.ocl",
        "mogwai/SemaphoreNeighbor.backward.ocl"
      })
  void findsWhatIsFoundInMemory(String file) throws Exception {
    String query = Files.readString(QUERIES.resolve(file));
    String expected = model.inMemory(query);
    assertTrue(expected.startsWith("Bag[") || expected.startsWith("Set["), expected);
    assertEquals(expected, model.inGraph(new QueryEngine(model.graph(), 8), query));
  }
}
