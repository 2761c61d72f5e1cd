package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.spi.Outcome;

/** What a query must not be able to do to a server. */
@Timeout(240)
class HostileQueryTest {
  private static final String LONG =
      "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

  @TempDir static Path folder;
  private static TrainFixture train;

  @BeforeAll
  static void load() throws Exception {
    train = new TrainFixture(folder, 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "s.oclAsType(ecore::EObject).eClass().name = 'Segment'",
        "s.oclAsType(EObject).eClass().name = 'Segment'",
        "s.oclAsType(EObject).eContainer() <> null",
        "s.oclAsType(EObject).eSet(null, null) = null",
        "s.eClass().name = 'Segment'",
        "s.eInvoke(null, null) = null",
        "s.oclAsType(OclAny).oclAsType(EClass).ePackage.eFactoryInstance <> null",
        "eresource::CDOResource.allInstances()->forAll(r | r.contents->forAll(e |"
            + " e.eClass().ePackage.eFactoryInstance.createFromString(null, 'x') = null))",
        "eresource::CDOResource.allInstances()->forAll(r | r.eResource() = null)",
        "eresource::CDOResource.allInstances()->forAll(r | r.contents->forAll(e |"
            + " e.eGet(null) = null))",
        "s.oclType().name = 'Segment'",
      })
  void queriesDoNotReachEcore(String condition) throws Exception {
    try (ServedStore served = new ServedStore(train, Transport.TCP, Map.of())) {
      Outcome outcome =
          served.ask(60_000, "railway::Segment.allInstances()->select(s | " + condition + ")");
      assertEquals(Outcome.Kind.ERROR, outcome.kind(), outcome.detail());
    }
  }

  @Test
  void theServerEndsAQueryInTime() throws Exception {
    try (ServedStore served = new ServedStore(train, Transport.TCP, Map.of("query_timeout_s", 1))) {
      Outcome outcome = served.ask(60_000, TrainFixture.ENDLESS);
      assertEquals(Outcome.Kind.ERROR, outcome.kind(), outcome.detail());
      assertTrue(outcome.detail().contains("query_timeout_s"), outcome.detail());
      served.assertAnswers();
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void aQueryEndsWithItsClient(Transport transport) throws Exception {
    try (ServedStore served =
        new ServedStore(train, transport, Map.of("interrupt_queries", false))) {
      // opening the session is in it, too, which takes its time beside other work
      long limit = Math.max(5_000, transport.limitMillis);
      Outcome outcome = served.ask(limit, TrainFixture.ENDLESS);
      assertEquals(Outcome.Kind.TIMEOUT, outcome.kind(), outcome.detail());
      ServedStore.await(() -> !ServedStore.isRunning(OclQueryHandler.class.getName()));
      served.assertAnswers();
    }
  }

  @Test
  void aTextHasBounds() throws Exception {
    try (ServedStore served = new ServedStore(train, Transport.TCP, Map.of())) {
      String all = "railway::Segment.allInstances()";
      Map<String, String> refusals =
          Map.of(
              all + "->select(true" + " or true".repeat(QueryBounds.LONGEST_TEXT / 8) + ")",
              "The query has \\d+ characters; the server takes \\d+.",
              all + "->select(" + "(".repeat(5_000) + "true" + ")".repeat(5_000) + ")",
              "The query has more than \\d+ brackets inside each other.",
              all + "->select(true" + " or true".repeat(20_000) + ")",
              "The query is nested too deeply.");
      for (Map.Entry<String, String> each : refusals.entrySet()) {
        Outcome outcome = served.ask(60_000, each.getKey());
        assertEquals(Outcome.Kind.ERROR, outcome.kind(), outcome.detail());
        assertTrue(outcome.detail().matches(each.getValue()), outcome.detail());
      }
      served.assertAnswers();
    }
  }

  /** Each would fill any memory, or go on for ever in one step. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Set{1..2147483647}->size() > 0",
        "Sequence{1..2147483647}->asSet()->size() > 0",
        "Sequence{1..40}->iterate(i; t : String = 'x' | t.concat(t)).size() > 0",
        "Sequence{1..9}->iterate(i; a : Sequence(Integer) = Sequence{1..300000} | a->union(a))"
            + "->size() > 0",
        "Sequence{1..1000000}->product(Sequence{1..1000000})->size() > 0",
        "Sequence{1..1000000}->includesAll(Sequence{-1000000..1000000})",
        "Sequence{-1000000..-1}->excludesAll(Sequence{1..1000000})",
        "Sequence{Sequence{1..900000}, Sequence{1..900000}}->flatten()->size() > 0",
        "Sequence{1..1000000}->collect(i | Sequence{1..1000000})->size() > 0",
        "('" + LONG + "').matches('(x+x+)+\\\\1y')",
        "('"
            + LONG
            + "').replaceAll('', '"
            + LONG
            + LONG
            + "').replaceAll('', '"
            + LONG
            + LONG
            + "').replaceAll('', '"
            + LONG
            + LONG
            + "').size() > 0",
        "('"
            + LONG
            + "').substituteAll('x', '"
            + LONG
            + LONG
            + "').substituteAll('x', '"
            + LONG
            + LONG
            + "').substituteAll('x', '"
            + LONG
            + LONG
            + "').size() > 0",
      })
  void aQueryDoesNotFillTheMemory(String condition) throws Exception {
    try (ServedStore served = new ServedStore(train, Transport.TCP, Map.of("query_timeout_s", 2))) {
      Outcome outcome =
          served.ask(60_000, "railway::Segment.allInstances()->select(s | " + condition + ")");
      assertEquals(Outcome.Kind.ERROR, outcome.kind(), outcome.detail());
      assertTrue(
          outcome.detail().matches("The (query|server ended the query) .*"), outcome.detail());
      ServedStore.await(() -> !ServedStore.isRunning(OclQueryHandler.class.getName()));
      served.assertAnswers();
    }
  }
}
