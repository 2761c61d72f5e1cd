package org.modelstress.mogwai.agreement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.ocl.util.CollectionUtil;
import org.junit.jupiter.api.Test;
import org.modelstress.mogwai.agreement.OclType.Kind;

/** The comparison of answers: what is different has different texts. */
class ValuesTest {
  private static final OclType SEQUENCE = OclType.collection(Kind.SEQUENCE, OclType.INTEGER, true);
  private static final OclType UNORDERED =
      OclType.collection(Kind.SEQUENCE, OclType.INTEGER, false);
  private static final OclType BAG = OclType.collection(Kind.BAG, OclType.INTEGER, false);
  private static final OclType SET = OclType.collection(Kind.SET, OclType.INTEGER, false);

  private final Values values = new Values(value -> null);

  private String text(Object value, OclType type) {
    return values.text(value, type);
  }

  @Test
  void numbers() {
    assertEquals(text(1, OclType.INTEGER), text(1L, OclType.INTEGER));
    assertNotEquals(text(1, OclType.REAL), text(1.0, OclType.REAL));
    assertEquals(text(0.0, OclType.REAL), text(-0.0, OclType.REAL));
    assertNotEquals(text(0.1 + 0.2, OclType.REAL), text(0.3, OclType.REAL));
  }

  @Test
  void undefinedValues() {
    List<String> texts =
        List.of(
            text(null, SET),
            text(InMemory.INVALID, SET),
            text(Set.of(), SET),
            text(InMemory.TOO_LONG, SET),
            text("", OclType.STRING),
            text("null", OclType.STRING));
    assertEquals(texts.size(), Set.copyOf(texts).size());
  }

  @Test
  void orderAndNumber() {
    assertNotEquals(text(List.of(1, 2), SEQUENCE), text(List.of(2, 1), SEQUENCE));
    assertEquals(text(List.of(1, 2), UNORDERED), text(List.of(2, 1), UNORDERED));
    assertEquals(
        text(CollectionUtil.createNewBag(List.of(1, 2, 1)), BAG),
        text(CollectionUtil.createNewBag(List.of(2, 1, 1)), BAG));
    assertNotEquals(
        text(CollectionUtil.createNewBag(List.of(1, 2, 2)), BAG),
        text(CollectionUtil.createNewBag(List.of(2, 1, 1)), BAG));
    assertNotEquals(text(Arrays.asList(1, null), UNORDERED), text(List.of(1), UNORDERED));
  }

  @Test
  void partsOfTuples() {
    Map<String, OclType> parts = new LinkedHashMap<>();
    parts.put("a", OclType.INTEGER);
    parts.put("b", OclType.STRING);
    OclType type = OclType.tuple(parts);
    assertEquals(text(Map.of("a", 1, "b", "x"), type), text(Map.of("b", "x", "a", 1), type));
    assertNotEquals(text(Map.of("a", 1, "b", "x"), type), text(Map.of("a", 1, "b", "y"), type));
    assertNotEquals(text(Map.of("a", 1, "b", "x"), type), text(Map.of("a", 1), type));
  }

  @Test
  void kinds() {
    assertTrue(Values.showsKind(Set.of(), SET));
    assertFalse(Values.showsKind(List.of(), SET));
    assertFalse(Values.showsKind(Set.of(), SEQUENCE));
    assertFalse(Values.showsKind(List.of(), BAG));
    OclType ordered = OclType.collection(Kind.ORDERED_SET, OclType.INTEGER, true);
    assertFalse(Values.showsKind(Set.of(), ordered));
    assertTrue(Values.showsKind(new LinkedHashSet<>(), ordered));
  }
}
