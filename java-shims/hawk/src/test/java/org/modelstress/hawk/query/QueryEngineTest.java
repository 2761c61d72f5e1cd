package org.modelstress.hawk.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;

/** Queries over a small Train model, in both fidelities. */
class QueryEngineTest {
  private static final ModelGraph MODEL =
      new ModelGraph(
          TrainGenerator.generate(Line.LINE_2016, Scenario.REPAIR, 1, TrainGenerator.DEFAULT_SEED),
          ModelGraph.train());

  private static Object eol(Fidelity fidelity, String text) throws Exception {
    return MODEL.run(fidelity, Language.EOL, text);
  }

  @ParameterizedTest
  @EnumSource(Fidelity.class)
  void values(Fidelity fidelity) throws Exception {
    assertEquals(1, eol(fidelity, "return 1;"));
    assertEquals("Segment", eol(fidelity, "return Segment;"));
    assertEquals("Segment", eol(fidelity, "return Segment.all.first().type();"));
    assertEquals(List.of(List.of(1), "a"), eol(fidelity, "return Sequence{Sequence{1}, 'a'};"));
    assertEquals("GO", eol(fidelity, "return Signal#GO;"));
    assertEquals(true, eol(fidelity, "return Semaphore.all.exists(s | s.signal = Signal#GO);"));
    assertEquals(
        true, eol(fidelity, "return Segment.all.size() = `railway::Segment`.allInstances.size();"));
    assertEquals(
        true,
        eol(
            fidelity,
            "return Route.all.forAll(r | r.eContainer.isTypeOf(RailwayContainer)"
                + " and r.requires.forAll(s | s.revRefNav_requires.includes(r))"
                + " and r.eContents.size() = r.follows.size());"));
  }

  @ParameterizedTest
  @EnumSource(Fidelity.class)
  void errors(Fidelity fidelity) {
    String malformed =
        assertThrows(InvalidQueryException.class, () -> eol(fidelity, "return 1 +;")).getMessage();
    assertTrue(malformed.contains("line 1, column 11"), malformed);
    String unknown =
        assertThrows(
                FailedQueryException.class, () -> eol(fidelity, "return Segment.all.first().foo;"))
            .getMessage();
    assertTrue(
        unknown.contains("line 1") && unknown.contains("Segment") && unknown.contains("foo"),
        unknown);
    assertThrows(
        FailedQueryException.class, () -> eol(fidelity, "Segment.all.first().length = 1;"));
    assertThrows(FailedQueryException.class, () -> eol(fidelity, "delete Segment.all.first();"));
    assertThrows(FailedQueryException.class, () -> eol(fidelity, "return new Segment;"));
  }
}
