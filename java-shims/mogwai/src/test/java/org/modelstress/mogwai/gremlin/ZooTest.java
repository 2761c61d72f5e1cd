package org.modelstress.mogwai.gremlin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.queries.InvalidQueryException;

/** Features and references that Train has none of; backward references with equal names. */
class ZooTest {
  private static LoadedModel model;
  private static QueryEngine engine;

  @BeforeAll
  static void load() throws Exception {
    model = new LoadedModel(Zoo.model(), Zoo.registry());
    engine = new QueryEngine(model.graph(), 8);
  }

  @AfterAll
  static void close() {
    model.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "zoo::Cat.allInstances()",
        "zoo::wild::Lynx.allInstances()",
        "zoo::Thing.allInstances()->collect(t | Tuple{t = t, no = t.no, mood = t.mood})",
        "zoo::Thing.allInstances()->collect(t | Tuple{t = t, text = t.text, tags = t.tags})",
        "zoo::Thing.allInstances()->collect(weight * 2)",
        "zoo::Thing.allInstances()->collect(weight)->max()",
        "zoo::Thing.allInstances()->select(t | t.mood = zoo::Mood::GOOD)->size()",
        "zoo::Thing.allInstances()->collect(house)->asSet()",
        "zoo::House.allInstances()->collectNested(h | h.all)",
        "zoo::House.allInstances()->collectNested(h | h.all->select(no > 0)->collect(no))",
        "zoo::Cat.allInstances()->collectNested(likes)",
        "zoo::Cat.allInstances()->collectNested(c | c.likes->asSet())",
        "zoo::Cat.allInstances()->collectNested(c | c.tags->asOrderedSet())",
        "zoo::Cat.allInstances()->collectNested(c | c.likes->indexOf(c.eats))",
        "zoo::Cat.allInstances()->collect(c | c.likes->count(c.likes->first()))",
        "zoo::Cat.allInstances()->collect(c | c.likes->includes(c.eats))",
        "zoo::Cat.allInstances()->collect(c | c.likes->excludes(null))",
        "zoo::Fish.allInstances()->collectNested(f | f.revRefNav_likes)",
        "zoo::Fish.allInstances()->collect(f | f.revRefNav_likes->size())",
        "zoo::Fish.allInstances()->collect(f | f.revRefNav_likes->includes(null))",
        "zoo::Fish.allInstances()->collect(f | zoo::Cat.allInstances()->select(c | f.revRefNav_likes->includes(c)))",
        "zoo::Bone.allInstances()->collectNested(b | b.revRefNav_likes)",
        "zoo::Bone.allInstances()->collect(b | b.revRefNav_eats->size())",
        "zoo::Thing.allInstances()->collectNested(t | t.revRefNav_all)",
        "zoo::House.allInstances()->collectNested(h | h.revRefNav_house)",
        "zoo::Thing.allInstances()->collectNested(t | t.revRefNav_eats->collect(no))",
        "zoo::Thing.allInstances()->selectByKind(zoo::Cat)->collect(likes)->asSet()",
        "zoo::Thing.allInstances()->selectByType(zoo::Cat)->size()",
        "zoo::Thing.allInstances()->any(t | t.oclIsTypeOf(zoo::wild::Lynx)).oclAsType(zoo::Cat).likes"
      })
  void isAsInMemory(String query) {
    String expected = model.inMemory(query);
    assertFalse(expected.startsWith("Malformed"), expected);
    assertEquals(expected, model.inGraph(engine, query));
  }

  @Test
  void anAmbiguousNameNamesItsClasses() {
    InvalidQueryException e =
        assertThrows(
            InvalidQueryException.class,
            () -> engine.check("zoo::Fish.allInstances()->collect(f | f.revRefNav_eats)"));
    assertTrue(
        e.getMessage().contains("line 1, column 41: revRefNav_eats is ambiguous for Fish"),
        e.getMessage());
    assertTrue(e.getMessage().contains("Cat, Dog"), e.getMessage());
  }
}
