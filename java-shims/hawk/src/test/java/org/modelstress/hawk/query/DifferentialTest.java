package org.modelstress.hawk.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.FailedQueryException;

/** Compiled programs give what Epsilon's interpreter gives, errors and their places included. */
class DifferentialTest {
  private static final Path QUERIES = Path.of("../../queries/train");
  private static final ModelGraph MODEL =
      new ModelGraph(
          TrainGenerator.generate(Line.LINE_2016, Scenario.REPAIR, 2, TrainGenerator.DEFAULT_SEED),
          ModelGraph.train());
  private static final GraphTokens TOKENS = new GraphTokens(MODEL.graph, MODEL.catalog);
  private static final TypeNames NAMES = new TypeNames(MODEL.catalog, List.of());

  private static Object outcome(ParsedQuery query) {
    try (GraphReader reader = MODEL.graph.read()) {
      return MODEL.plain(
          query.run(new GraphAccess(TOKENS, reader, QueryScope.ALL, new Cancellation(), null)));
    } catch (FailedQueryException e) {
      return e.getMessage();
    }
  }

  private static ParsedQuery compiled(Language language, String text) throws Exception {
    return ParsedQuery.compiled(language, text, NAMES, TOKENS);
  }

  private static Object expected(Language language, String text) throws Exception {
    return outcome(ParsedQuery.plain(language, text, NAMES, Fidelity.IMPROVED));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "return 1;",
        "return 1 + 2 * 3 - 4 / 2;",
        "return 7 / 2;",
        "return 1 / 0;",
        "return 7 / 2.0;",
        "return -(-3);",
        "return -'a';",
        "return 1 + 'a';",
        "return 'a' + 'b';",
        "return 'a' - 1;",
        "return 1 < 2 and not (2 <= 1) or false;",
        "return 'a' < 'b';",
        "return 'a' <= 'a';",
        "return null = null;",
        "return null <= null;",
        "return 1 = 1.0;",
        "return 1 and true;",
        "return true and 1;",
        "return false and 1;",
        "return true or 1;",
        "return false or 1;",
        "return not 1;",
        "return true xor false;",
        "return true xor 1;",
        "return false implies 1;",
        "return true implies 1;",
        "return true implies false;",
        "return (1 < 2) ? 'yes' : 'no';",
        "return null ?: 3;",
        "return 2 ?: 3;",
        "return undefinedName;",
        "return undefinedName.isDefined();",
        "return Sequence{1, 2, null};",
        "return Sequence{1..4};",
        "return Set{1, 1, 2};",
        "return Sequence{1, 2}.size() + Bag{1}.size();",
        "return Sequence{1, 2} = Sequence{1, 2};",
        "return Route.all.first().follows = Route.all.first().follows;",
        "return Sequence{}.first();",
        "return Sequence{3, 4}.last();",
        "return Set{3}.first();",
        "return Sequence{1, 2}.includes(2);",
        "return Sequence{1, 2}.excludes('a');",
        "return Sequence{'a', '', null}.collect(s | s.isDefined());",
        "return null.isDefined();",
        "return null.isUndefined();",
        "return null.size();",
        "return 'abc'.size();",
        "return 'abc'.length();",
        "return 5.isDefined();",
        "var x = 1; x = x + 1; return x;",
        "var x; return x;",
        "var x = 1; var x = 2; return x;",
        "var x : Integer = 1; x = 'a'; return x;",
        "var x : Integer; x = 3; return x;",
        "var x : Sequence; x.add(1); return x;",
        "var x : new Sequence; x.add(1); return x;",
        "var s = new Sequence; s.add(1); s.add('a'); s.add(null); return s;",
        "var s = new Set; s.add(1); s.add(1); return s.size();",
        "var m = new Map; m.put('a', 1); m.put('b', 2); return m.get('a') + m.size();",
        "var m = new Map; m.put('a', 1); return m;",
        "var m = new Map; return m.get('c');",
        "var m = new Map; return m.isEmpty();",
        "var s = Sequence{1, 2, 3}; for (x in s) { if (x = 2) { s.add(4); } } return s;",
        "var n = 0; for (x in Sequence{1, 2, 3, 4}) { if (x = 3) break; n = n + x; } return n;",
        "var n = 0; for (x in Sequence{1, 2, 3}) { if (x = 2) continue; n = n + x; } return n;",
        "var n = 0; for (x in Sequence{1, 2}) { n = n + loopCount; } return n;",
        "var n = 0; for (x in Segment) { n = n + 1; } return n;",
        "var n = 0; for (x in 5) { n = n + x; } return n;",
        "var n = 0; for (x in null) { n = n + 1; } return n;",
        "var n = 0; for (x : Switch in Sensor.all.first().monitors) { n = n + 1; } return n;",
        "var n = 0; while (n < 5) { n = n + 1; } return n;",
        "if (1) { return 2; }",
        "for (x in Route.all) { if (x.follows.size() > 3) { return x; } } return null;",
        "return Segment;",
        "return Segment.all.size();",
        "return TrackElement.all.select(e | e.isTypeOf(Switch)).size();",
        "return TrackElement.all.select(e | e.isKindOf(Segment)).collect(e | e.length);",
        "return TrackElement.all.select(e | e.length > 0);",
        "return TrackElement.all.select(e : Segment | e.length > 900);",
        "return Segment.all.select(e | e.foo = 1);",
        "return Segment.all.select(e | e.length);",
        "return Segment.all.reject(e | e.length > 0).size();",
        "return Segment.all.exists(e | e.length > 999);",
        "return Segment.all.forAll(e | e.length > -1001);",
        "return Segment.all.forAll(e | e.foo);",
        "return Segment.all.one(e | e.length = 5);",
        "return Segment.all.none(e | e.length = 5000);",
        "return Segment.all.count(e | e.length < 0);",
        "return Segment.all.selectOne(e | e.length < 0);",
        "return Segment.all.selectOne(e | e.length < -5000);",
        "return Segment.all.collect(e | e.length).max();",
        "return Segment.all.length.sum();",
        "return Route.all.collect(r | r.follows).flatten().size();",
        "return Route.all.follows;",
        "return Route.all.collect(r | r.entry).select(e | e.isDefined()).collect(e | e.signal);",
        "return Route.all.collect(r | r.entry.signal);",
        "return Route.all.select(r | r.entry = null);",
        "return Route.all.select(r | r.entry.isUndefined());",
        "return Route.all.collect(r | r.requires.asSet().size());",
        "return Route.all.collect(r | r.requires.asOrderedSet().first());",
        "return Route.all.collect(r | r.requires.asBag());",
        "return Route.all.collect(r | r.requires.excludingAll(Sequence{r.requires.first()}));",
        "return Route.all.collect(r | r.requires.excludingAll(r.requires));",
        "return Route.all.collect(r | r.eContainer);",
        "return Route.all.first().eContents;",
        "return Sensor.all.collect(s | s.revRefNav_requires);",
        "return Sensor.all.first().revRefNav_foo;",
        "return Sensor.all.first().eContainer.eContainer.eContainer;",
        "return Sensor.all.collect(s | s.nMonitoredSegments);",
        "return Sensor.all.select(s | s.nMonitoredSegments > 5 and s.monitors.size() > 5);",
        "return Switch.all.select(s | s.isMonitored);",
        "return Switch.all.select(s | s.currentPosition = Position#FAILURE).size();",
        "return Position#NOWHERE;",
        "var l = Route.all.first().follows; l.add(1); return l.size();",
        "var l = Route.all.first(); l.id = 3;",
        "Route.all.first().foo();",
        "operation twice(x) { return x * 2; } return twice(4);",
        "return Sensor.all.select(s | s.twin());\noperation Sensor twin() { return true; }",
        "return Segment.all.sortBy(s | s.length).first();",
        "return Sequence{Segment.all.first(), 1}.select(x | x.isKindOf(Segment));",
        "return Sequence{Segment.all.first(), null}.select(x | x.isKindOf(Segment));",
        "return Sequence{Segment.all.first(), 1}.collect(x | x.length);",
        "var a = Segment.all.first(); a = Route.all.first(); return a.requires.size();",
        "var f = 1; return Sequence{1, 2}.select(f | f > 1);",
        "return Sequence{1, 2}.select(x | Sequence{2}.exists(x | x = 2));",
        "return Route.all.select(r | r.active and r.follows.size() > 2).size();",
        "return `railway::Route`.all.size();",
        "return Nowhere.all;",
        "var Segment = 4; return Segment;",
        "return Segment.all.select(s | s.length <= 0).size() > 3;",
        "'hello'.println(); return 1;",
        "return;",
        "var x = 1;",
      })
  void eol(String text) throws Exception {
    assertEquals(expected(Language.EOL, text), outcome(compiled(Language.EOL, text)), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pattern P a : Route {}",
        "pattern P a : Route guard: a.`active` {}",
        "pattern P a : Route guard: a.foo {}",
        "pattern P a : Route guard: a.follows {}",
        "pattern P a : Route, b : SwitchPosition from: a.follows, c : Switch from: b.target {}",
        "pattern P a : Route, b : Semaphore from: a.entry {}",
        "pattern P a : Route, b : Any from: a.entry {}",
        "pattern P a : Route, b : Any from: Sequence{a.entry} {}",
        "pattern P a : Route, b : Semaphore from: Sequence{a.entry} {}",
        "pattern P a : Route, b : Semaphore in: Route.all.collect(r | r.entry) {}",
        "pattern P a : Route, b : Any in: Route.all.collect(r | r.entry) {}",
        "pattern P a : Route guard: a.entry.isDefined(), b : Semaphore from: a.entry {}",
        "pattern P a : Route, b : Semaphore in: Semaphore.all guard: a.entry = b {}",
        "pattern P a : Route, b : Semaphore guard: a.entry = b {}",
        "pattern P a : Route, b : Route guard: a <> b and a.id < b.id {}",
        "pattern P a : Route, b : Route { match: a.entry = b.exit }",
        "pattern P a : Route, b : Route { match { return a.entry = b.exit; } }",
        "pattern P a : Route { match: 3 }",
        "pattern P a : Switch from: Sensor.all.first().monitors {}",
        "pattern P a : Segment guard: a.length < 0 and a.semaphores.notEmpty() {}",
        "pattern P a : Segment guard: a.length < 0 {} pattern Q b : Switch guard: b.isMonitored {}",
        "pattern P a, b : Semaphore guard: a.signal <> b.signal {}",
        "pattern P a : Route, no b : Semaphore from: Sequence{a.entry} guard: b.isDefined() {}",
        "pattern P a : Route, b : Semaphore from: a.entry optional: true {}",
        "pattern P a : Route, b : SwitchPosition[2..*] from: a.follows {}",
        "pattern P a : Route { onmatch { a.println('matched '); } }",
        "pre { var n = 2; } pattern P a : Route guard: a.follows.size() > n {}",
        "pattern P a : Route guard { var n = 2; return a.follows.size() > n; } {}",
        "pattern P a : Route guard { var n = 2; } {}",
        "pattern P a : Any {}",
        "pattern P a : Nowhere {}",
        "pattern P a : Route from: b, b : Route {}",
      })
  void epl(String text) throws Exception {
    assertEquals(expected(Language.EPL, text), outcome(compiled(Language.EPL, text)), text);
  }

  static Stream<Path> queryFiles() throws Exception {
    return Files.walk(QUERIES)
        .filter(p -> p.toString().endsWith(".eol") || p.toString().endsWith(".epl"))
        .sorted();
  }

  /** Both equal to each other and to what plain Java finds in the model. */
  @ParameterizedTest
  @MethodSource("queryFiles")
  void queriesOfTheBenchmark(Path file) throws Exception {
    Language language = file.toString().endsWith(".eol") ? Language.EOL : Language.EPL;
    String text = Files.readString(file);
    ParsedQuery compiled = compiled(language, text);
    assertTrue(compiled.isCompiled(), file + " is left to the interpreter");
    Object found = outcome(compiled);
    assertTrue(compiled.isCompiled());
    assertEquals(expected(language, text), found);
    assertFalse(((List<?>) found).isEmpty());
  }

  @Test
  void repeatedFailuresAreLeftToTheInterpreter() throws Exception {
    ParsedQuery query = compiled(Language.EOL, "return Segment.all.select(s | s.length);");
    assertTrue(query.isCompiled());
    Object first = outcome(query);
    for (int i = 0; i < 5; i++) {
      assertEquals(first, outcome(query));
    }
    assertFalse(query.isCompiled());
  }
}
