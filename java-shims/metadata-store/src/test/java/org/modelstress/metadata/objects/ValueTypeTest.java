package org.modelstress.metadata.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ValueTypeTest {
  private static final Random RANDOM = new Random(3);

  private static Object random(ValueType type) {
    return switch (type) {
      case TEXT -> Long.toString(RANDOM.nextLong(), 36);
      case INTEGER -> RANDOM.nextLong() >> RANDOM.nextInt(64);
      case DECIMAL -> {
        double number = Double.longBitsToDouble(RANDOM.nextLong());
        yield Double.isFinite(number) ? number + 0.0 : 0.0;
      }
      case BOOLEAN -> RANDOM.nextBoolean();
      case TIME -> Instant.ofEpochMilli(RANDOM.nextLong() >> 18);
    };
  }

  @SuppressWarnings("unchecked") // values of one type
  private static int compare(Object a, Object b) {
    return Integer.signum(((Comparable<Object>) a).compareTo(b));
  }

  @Test
  void storedTextsSortAsValuesDo() {
    for (ValueType type : ValueType.values()) {
      for (int i = 0; i < 20_000; i++) {
        Object a = random(type);
        Object b = random(type);
        String storedA = type.encode(a);
        String storedB = type.encode(b);
        assertEquals(a, type.decode(storedA));
        assertEquals(
            compare(a, b), Integer.signum(storedA.compareTo(storedB)), type + ": " + a + ", " + b);
      }
    }
  }

  @Test
  void boundsComeBack() {
    for (long number : List.of(Long.MIN_VALUE, -1L, 0L, 1L, Long.MAX_VALUE)) {
      assertEquals(number, ValueType.INTEGER.decode(ValueType.INTEGER.encode(number)));
    }
    assertEquals(ValueType.DECIMAL.encode(0.0), ValueType.DECIMAL.encode(-0.0));
  }

  @Test
  void whatIsNoValueIsRefused() {
    for (String text : List.of("", "1.5", "9223372036854775808", "0x10", "one")) {
      assertThrows(MetadataException.class, () -> ValueType.INTEGER.parse(text), text);
    }
    for (String text : List.of("NaN", "Infinity", "1e999", "")) {
      assertThrows(MetadataException.class, () -> ValueType.DECIMAL.parse(text), text);
    }
    assertThrows(MetadataException.class, () -> ValueType.BOOLEAN.parse("yes"));
    for (String text : List.of("2026-11-26", "+10000-01-01T00:00:00Z", "now")) {
      assertThrows(MetadataException.class, () -> ValueType.TIME.parse(text), text);
    }
  }
}
