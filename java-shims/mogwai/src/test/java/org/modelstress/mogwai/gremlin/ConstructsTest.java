package org.modelstress.mogwai.gremlin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.modelstress.models.Metamodels;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

/** Each construct, by hand: the graph's value equals Eclipse OCL's own in memory. */
class ConstructsTest {
  private static final String TRAIN =
      """
      railway::Route.allInstances()
      railway::TrackElement.allInstances()->size()
      railway::RailwayElement.allInstances()->size()
      railway::RailwayContainer.allInstances()->collect(routes)
      railway::RailwayContainer.allInstances()->any(true).routes->asSequence()
      ecore::EObject.allInstances()->size()
      ecore::EClass.allInstances()
      railway::Signal.allInstances()
      Integer.allInstances()
      railway::Route.allInstances()->collect(entry)
      railway::Route.allInstances()->collect(entry.signal)
      railway::Route.allInstances()->collect(r | r.entry->size())
      railway::Route.allInstances()->collect(r | r.entry->collect(signal))
      railway::Route.allInstances()->collect(follows.position)
      railway::Route.allInstances()->collectNested(follows.position)
      railway::Route.allInstances()->collectNested(r | r.follows->collect(target.currentPosition))
      railway::Route.allInstances()->collect(id)->asSet()
      railway::Route.allInstances()->sortedBy(id)
      railway::Route.allInstances()->sortedBy(-id)->first()
      railway::Route.allInstances()->sortedBy(r | r.requires->size())->collect(r | r.requires->size())
      railway::Switch.allInstances()->collect(currentPosition)
      railway::Switch.allInstances()->select(s | s.currentPosition = railway::Position::STRAIGHT)->size()
      railway::SwitchPosition.allInstances()->collect(route)
      railway::SwitchPosition.allInstances()->collect(route.follows)->size()
      railway::SwitchPosition.allInstances()->forAll(p | p.route.follows->includes(p))
      railway::SwitchPosition.allInstances()->forAll(p | p.target.positions->includes(p))
      railway::Sensor.allInstances()->collect(revRefNav_requires)
      railway::Sensor.allInstances()->collect(revRefNav_sensors)
      railway::Sensor.allInstances()->collect(revRefNav_monitoredBy)->size()
      railway::Route.allInstances()->collect(revRefNav_route)
      railway::SwitchPosition.allInstances()->collect(revRefNav_follows)
      railway::Semaphore.allInstances()->collect(s | Tuple{s = s, e = s.revRefNav_entry, x = s.revRefNav_exit})
      railway::Semaphore.allInstances()->select(s | s.revRefNav_entry->isEmpty())
      railway::Segment.allInstances()->select(length < 100)->collect(length)
      railway::Segment.allInstances()->reject(s | s.length < 900)->collect(length)->sum()
      railway::Segment.allInstances()->collect(length)->max()
      railway::Segment.allInstances()->collect(length)->min()
      railway::Segment.allInstances()->collect(length / 7)->max()
      railway::Segment.allInstances()->one(s | s.length = 5)
      railway::Segment.allInstances()->exists(s | s.length > 990)
      railway::Segment.allInstances()->forAll(s | s.length > 0)
      railway::Segment.allInstances()->isUnique(length)
      railway::Segment.allInstances()->isUnique(id)
      railway::Segment.allInstances()->any(s | s.id = 17).length
      railway::Segment.allInstances()->any(s | s.id = -17)
      railway::Segment.allInstances()->select(s | s.semaphores->notEmpty())->size()
      railway::TrackElement.allInstances()->selectByKind(railway::Switch)->size()
      railway::TrackElement.allInstances()->selectByKind(railway::TrackElement)->size()
      railway::TrackElement.allInstances()->selectByType(railway::TrackElement)->size()
      railway::TrackElement.allInstances()->selectByType(railway::Segment)->size()
      railway::TrackElement.allInstances()->select(oclIsKindOf(railway::Switch))->size()
      railway::TrackElement.allInstances()->select(oclIsTypeOf(railway::Segment))->size()
      railway::TrackElement.allInstances()->select(t | t.oclIsKindOf(railway::RailwayElement))->size()
      railway::TrackElement.allInstances()->select(oclIsKindOf(railway::Switch))->collect(oclAsType(railway::Switch).positions)->size()
      railway::TrackElement.allInstances()->collect(oclAsType(railway::Switch).positions)->size()
      railway::TrackElement.allInstances()->collect(t | t.oclAsType(railway::Switch).oclIsInvalid())
      railway::Route.allInstances()->select(entry.oclIsUndefined())->collect(entry.oclIsKindOf(railway::Semaphore))
      railway::Route.allInstances()->collect(entry.oclIsTypeOf(railway::Semaphore))
      railway::Route.allInstances()->collect(entry = exit)
      railway::Route.allInstances()->collect(r | r.entry <> null)
      railway::Route.allInstances()->sortedBy(id)->exists(r | r.entry.signal = railway::Signal::GO)
      railway::Route.allInstances()->forAll(r | r.entry.signal = railway::Signal::GO)
      railway::Route.allInstances()->select(r | r.entry.signal = railway::Signal::GO)
      railway::Route.allInstances()->select(r | not r.entry.oclIsUndefined() and r.entry.signal = railway::Signal::GO)->size()
      railway::Route.allInstances()->select(r | r.entry.oclIsUndefined() or r.entry.signal = railway::Signal::GO)->size()
      railway::Route.allInstances()->select(r | r.entry.oclIsUndefined() implies r.active)->size()
      railway::Route.allInstances()->select(r | r.entry.oclIsUndefined() xor r.active)->size()
      railway::Route.allInstances()->collect(if active then follows else Set{} endif)->size()
      railway::Route.allInstances()->collect(r | if r.active then r.follows->first().position else railway::Position::FAILURE endif)
      railway::Route.allInstances()->collect(r | r.follows->at(1))
      railway::Route.allInstances()->collect(r | r.follows->at(100))
      railway::Route.allInstances()->collectNested(r | r.follows->asSequence())
      railway::Route.allInstances()->collectNested(r | r.follows->asSequence()->collect(target))
      railway::Route.allInstances()->collectNested(r | r.follows->collect(target.id)->subSequence(1, 1))
      railway::Route.allInstances()->collectNested(r | r.requires->select(s | s.monitors->size() > 5))
      railway::Route.allInstances()->collectNested(r | r.follows->indexOf(r.follows->last()))
      railway::Route.allInstances()->collect(r | r.follows->indexOf(null))
      railway::Route.allInstances()->collect(r | r.follows->includesAll(r.follows->select(p | p.position = railway::Position::STRAIGHT)))
      railway::Route.allInstances()->collect(r | r.requires->excludesAll(r.follows.target.monitoredBy))
      railway::Route.allInstances()->collect(r | r.requires->intersection(r.follows.target.monitoredBy->asSet())->size())
      railway::Route.allInstances()->collect(r | (r.requires->asSet() - r.follows.target.monitoredBy->asSet())->size())
      railway::Route.allInstances()->collect(r | r.requires->count(r.requires->any(true)))
      railway::Route.allInstances()->closure(follows.target.positions.route)->asSet()
      railway::Route.allInstances()->asSequence()->first()->closure(requires.revRefNav_requires)->size() > 0
      railway::Segment.allInstances()->sortedBy(id)->asSequence()->first().oclAsType(railway::TrackElement)->closure(connectsTo)->size()
      railway::TrackElement.allInstances()->sortedBy(id)->closure(s | s.connectsTo)->size()
      railway::Route.allInstances()->iterate(r; n : Integer = 0 | n + r.follows->size())
      railway::Route.allInstances()->iterate(r; s : Set(railway::Sensor) = Set{} | s->union(r.requires->asSet()))->size()
      railway::Route.allInstances()->forAll(a, b | a = b or a.id <> b.id)
      railway::Route.allInstances()->exists(a, b | a <> b and a.exit = b.entry)
      railway::Route.allInstances()->collect(r | r.follows->product(r.requires->asSet())->size())
      railway::Route.allInstances()->collect(r | let f : Sequence(railway::SwitchPosition) = r.follows->asSequence() in f->collect(p | Tuple{r = r, p = p, n = f->size()}))
      railway::Route.allInstances()->collect(r | let n : Integer = r.follows->size(), m : Integer = n * 2 in n + m)
      railway::Route.allInstances()->collect(r | Tuple{e = r.entry, i = r.entry.signal})
      railway::Route.allInstances()->collect(r | Tuple{e = r.entry, i = r.entry.signal})->collect(t | t.i.oclIsInvalid())
      railway::Route.allInstances()->collect(r | Tuple{a = r.active})->asSet()
      railway::Route.allInstances()->collect(r | Tuple{f = r.follows})->collect(f)->size()
      railway::Route.allInstances()->collect(r | r.id.toString().size())
      railway::Route.allInstances().follows.target.currentPosition.toString()
      railway::Route.allInstances()->collect(r | Set{r, null}->size())
      railway::Region.allInstances()->collect(g | g.elements->selectByKind(railway::Switch)->collect(s | s.positions->collect(p | p.route)))->asSet()
      railway::Region.allInstances()->select(elements->selectByKind(railway::Segment)->select(length > 1)->size() > 1)
      railway::Route.allInstances()->collect(invalid)
      railway::Route.allInstances()->collect(null)
      railway::Route.allInstances()->collectNested(null)
      railway::Route.allInstances()->collect(r | if r.active then Sequence{1, 2} else null endif)
      """;

  private static final String VALUES =
      """
      null
      invalid
      1
      1 = 1.0
      1 = null
      1 = invalid
      'a' = 1
      1 <> 2
      2147483647 + 1
      (2147483647 + 1) - 1
      -(2147483647 + 1)
      7.div(2)
      -7.div(2)
      7.mod(-2)
      7.mod(0)
      7.mod(0).oclIsInvalid()
      7.div(0)
      7 / 2
      7 / 0
      7.5 * 2
      1 - 0.5
      1.max(2.5)
      3.min(2)
      2.5.floor()
      -2.5.round()
      2.5.round()
      3.floor()
      -2.5.abs()
      1 < 2.5
      2.5 >= 2
      if 1 = 1 then null else 1 endif + 1
      'a' < 'b'
      'a' <= 'a'
      'b' > 'a'
      'a' >= if 1 = 1 then null else 'b' endif
      'abc'.size()
      'abc'.concat('d')
      'abc' + 'd'
      'abc'.substring(1, 2)
      'abc'.substring(2, 7)
      'aBc'.toUpper()
      'aBc'.toLower()
      '12'.toInteger() + 1
      'x'.toInteger()
      'x'.toInteger().oclIsUndefined()
      '1.5'.toReal()
      'true'.toBoolean()
      'abc'.at(2)
      'abc'.at(7)
      'abc'.characters()
      'abc'.indexOf('c')
      'abca'.lastIndexOf('a')
      'abc'.startsWith('ab')
      'abc'.endsWith('bc')
      'abc'.equalsIgnoreCase('ABC')
      'a b c'.tokenize()
      'a,b'.tokenize(',')
      'a,b'.tokenize(',', true)
      ' a '.trim()
      'aXa'.substituteAll('a', 'b')
      'aXa'.substituteFirst('a', 'b')
      'aXa'.substituteFirst('q', 'b')
      1.toString() + 2.5.toString() + true.toString()
      null.toString()
      railway::Signal::GO.toString()
      railway::Signal::GO = railway::Signal::GO
      railway::Signal::GO <> railway::Signal::STOP
      true and null
      null and false
      false and invalid
      invalid and false
      true or null
      null or true
      false or null
      true xor null
      true xor true
      false implies invalid
      null implies true
      true implies null
      not true
      not (1 = 2)
      false and (7.mod(0) = 1)
      (7.mod(0) = 1) and false
      true and ((7.mod(0) = 1) and false)
      if 1 = 1 then 2 else 2.5 endif
      if null = 1 then 2 else 3 endif
      1.oclIsUndefined()
      null.oclIsUndefined()
      null.oclIsInvalid()
      invalid.oclIsInvalid()
      1.oclIsKindOf(Integer)
      1.oclIsKindOf(Real)
      1.oclIsTypeOf(Real)
      1.oclIsTypeOf(Integer)
      1.5.oclIsKindOf(Integer)
      1.oclIsKindOf(String)
      1.oclIsKindOf(OclAny)
      'a'.oclIsTypeOf(String)
      1.oclAsType(Real)
      2.5.oclAsType(Integer)
      1.oclAsType(String)
      1.oclAsType(OclAny)
      'a'.oclAsType(String)
      null.oclAsType(Integer)
      1.oclAsSet()
      null.oclAsSet()
      Tuple{a = 1, b = 'x'}
      Tuple{b = 'x', a = 1}.a
      Tuple{a = 1, b = 2} = Tuple{b = 2, a = 1}
      Tuple{a = 1} = Tuple{a = 1.0}
      Tuple{a = null}
      Tuple{a = invalid}.a.oclIsInvalid()
      Tuple{a = 7.mod(0)}.oclIsInvalid()
      Set{1, 2, 2}
      Bag{1, 2, 2}
      Sequence{1, 2, 2}
      OrderedSet{2, 1, 2}
      Set{1, 1.0}
      Set{1, null}
      Sequence{1, invalid}
      Sequence{1..4, 9}
      Sequence{1..3}
      Sequence{3..1}
      Sequence{1..'a'.size()}
      Sequence{1..3} = Sequence{1, 2, 3}
      OrderedSet{1, 2} = OrderedSet{2, 1}
      OrderedSet{1, 2} = Sequence{1, 2}
      Set{1, 2} = Set{2, 1}
      Set{1, 2} = Bag{2, 1}
      Bag{1, 2, 2} = Bag{2, 1, 2}
      Set{1, 2} <> Set{2}
      Sequence{1, 2}->including(3)->excluding(1)->append(4)->prepend(0)->insertAt(1, 9)
      Sequence{1, 2, 1}->excluding(1)
      Bag{1, 2, 1}->excluding(1)
      OrderedSet{1, 2}->append(1)
      OrderedSet{1, 2}->prepend(2)
      OrderedSet{1, 2}->insertAt(2, 5)
      OrderedSet{1, 2}->insertAt(7, 5)
      OrderedSet{1, 2, 3}->subOrderedSet(1, 2)
      Sequence{1, 2, 3}->subSequence(2, 3)
      Sequence{1, 2, 3}->subSequence(3, 2)
      Sequence{1, 2}->at(2)
      Sequence{1, 2}->at(5).oclIsInvalid()
      Sequence{1, 2}->indexOf(2)
      Sequence{1, 2}->indexOf(5)
      Sequence{1, 2}->first()
      Sequence{}->first()
      Sequence{1, 2}->last()
      Sequence{null, 2}->first()
      Set{1, 2} - Set{1}
      Set{1, 2}->symmetricDifference(Set{2, 3})
      Set{1}->union(Set{2})
      Set{1}->union(Bag{1})
      Bag{1}->union(Set{1})
      Sequence{1}->union(Sequence{1})
      OrderedSet{1}->union(OrderedSet{2})
      Set{1}->intersection(Bag{1, 1})
      Bag{1, 1, 2}->intersection(Bag{1, 1})
      Set{1}->intersection(Set{2})
      Set{1}->union(null)
      Set{1, 2}->includes(1)
      Set{1, 2}->includes(1.0)
      Set{1, 2}->includes(null)
      Set{1, 2}->excludes(3)
      Set{1, 2}->includesAll(Set{1})
      Set{1, 2}->includesAll(null)
      Set{1, 2}->excludesAll(Sequence{3})
      Sequence{1, 1, 2}->count(1)
      Bag{1, 1.0}->count(1)
      Set{1, 2}->product(Set{3, 4})
      Set{1, 2}->product(Bag{'a', 'a'})
      Sequence{Set{1}, Set{2, 3}}->flatten()
      Set{Sequence{1}, Sequence{2, 3}}->flatten()
      Sequence{Sequence{Sequence{1}}}->flatten()
      Sequence{1, 2}->sum()
      Sequence{1, 2.5}->sum()
      Set{1}->select(x | x > 1)->sum()
      Set{1.5}->select(x | x > 2)->sum()
      Sequence{1, null}->sum()
      Sequence{1, null}->sum().oclIsInvalid()
      Sequence{1, 2.5}->max()
      Sequence{1}->select(x | x > 1)->max()
      Set{1, 2}->asSequence()->size()
      Sequence{1, 2, 1}->asSet()
      Sequence{2, 1, 2}->asOrderedSet()
      Sequence{2, 1, 2}->asBag()
      Bag{3, 1, 2, 1}->asSequence()
      Set{}->isEmpty()
      Set{1}->notEmpty()
      1->size()
      null->size()
      null->isEmpty()
      'a'->asSequence()
      Sequence{1..5}->select(x | x > 2)
      Sequence{1..5}->reject(x | x > 2)
      Set{1, 2}->select(x | x = null)
      Sequence{1, null}->select(x | x > 0)
      Sequence{1..3}->collect(x | Sequence{1..x})
      Sequence{1..3}->collectNested(x | Sequence{1..x})
      Sequence{1..3}->collect(x | Sequence{Sequence{x}})
      Set{1..3}->collect(x | x * x)
      Sequence{1..3}->collect(x | 7.mod(x - 2))
      Sequence{1..3}->collect(x | 7.mod(x - 2))->oclIsInvalid()
      Sequence{1..3}->exists(x | x = 2)
      Sequence{3, 2, 0}->exists(x | 6.mod(x) = 0)
      Sequence{4, 2, 0}->forAll(x | 6.mod(x) = 0)
      Sequence{0, 2}->exists(x | 6.mod(x) = 0)
      Sequence{1..3}->forAll(x, y | x <= y)
      Sequence{1..3}->exists(x, y | x + y = 6)
      Sequence{}->forAll(x | false)
      Sequence{1..3}->one(x | x = 2)
      Sequence{1, 2, 2}->one(x | x = 2)
      Sequence{1..3}->any(x | x > 1)
      Sequence{1..3}->any(x | x > 5)
      Sequence{1..3}->any(x | 7.mod(x - 1) = 0)
      Sequence{1..3}->isUnique(x | x / 2)
      Sequence{1..3}->isUnique(x | x.div(2))
      Sequence{1, 2}->isUnique(x | 7.mod(0))
      Sequence{1..3}->sortedBy(x | -x)
      Set{1..3}->sortedBy(x | -x)
      Sequence{1..3}->sortedBy(x | if x = 2 then null else x endif)
      Sequence{1, 2.5}->sortedBy(x | x)
      Sequence{'b', 'a'}->sortedBy(s | s)
      Sequence{1..3}->closure(x | Set{x + 1}->select(y | y < 6))
      OrderedSet{3, 1}->closure(x | Sequence{x + 1}->select(y | y < 6))
      Sequence{2, 5}->closure(x | Sequence{7.mod(x - 1), x - 1})
      Sequence{1, 5}->closure(x | Sequence{7.mod(x - 1), x - 1})
      Sequence{1..3}->closure(x | if x < 3 then x + 1 else null endif)
      Sequence{1..3}->iterate(x; s : Integer = 0 | s + x)
      Sequence{1..3}->iterate(x; s : String = '' | s.concat(x.toString()))
      Sequence{1..3}->iterate(x; s : Integer = 0 | 7.mod(x - 2))
      Sequence{1..3}->iterate(x; s : Integer = 0 | if x = 2 then 7.mod(0) else x endif)
      Sequence{}->iterate(x; s : Integer = 5 | s)
      let x : Integer = 7.mod(0) in x.oclIsInvalid()
      let x : Integer = 1, y : Integer = x + 1 in Sequence{x, y}
      let x : Set(Integer) = Set{1, 2} in x->collect(i | let k : Integer = i * 2 in Sequence{k..k + 1})
      Sequence{1..3}->select(x | Sequence{1..3}->exists(y | y > x))
      Sequence{1..3}->collect(x | Sequence{1..3}->collect(y | x * y)->sum())
      """;

  private static LoadedModel model;
  private static QueryEngine engine;

  @BeforeAll
  static void load() throws Exception {
    model =
        new LoadedModel(
            TrainGenerator.generate(
                Line.LINE_2016, Scenario.REPAIR, 1, TrainGenerator.DEFAULT_SEED),
            Metamodels.registry());
    engine = new QueryEngine(model.graph(), 8);
  }

  @AfterAll
  static void close() {
    model.close();
  }

  static Stream<String> expressions() {
    return (TRAIN + VALUES).lines();
  }

  @ParameterizedTest
  @MethodSource("expressions")
  void isAsInMemory(String query) {
    String expected = model.inMemory(query);
    assertFalse(expected.startsWith("Malformed"), expected);
    assertEquals(expected, model.inGraph(engine, query));
  }
}
