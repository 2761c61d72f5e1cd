package org.modelstress.hawk.graph.neo4j;

import org.neo4j.values.storable.Value;
import org.neo4j.values.storable.Values;

/**
 * Values as a Neo4j range index holds them. Neo4j orders texts by code point and refuses long ones;
 * ours are ordered by UTF-16 code unit and have no bound.
 */
final class Entries {
  /** Characters of a text that are in the index; four bytes each stay below Neo4j's 8 KiB. */
  static final int LIMIT = 1000;

  /** From here on the orders of code units and code points differ. */
  private static final char FIRST_SURROGATE = '\uD800';

  private Entries() {}

  /** The entry of a value, or null when no index holds such a value. */
  static Value entry(Object value) {
    if (value instanceof String text) {
      return Values.stringValue(ordered(isLong(value) ? text.substring(0, LIMIT) : text));
    }
    if (value instanceof Boolean truth) {
      return Values.booleanValue(truth);
    }
    if (value instanceof Double || value instanceof Float) {
      return Values.doubleValue(((Number) value).doubleValue());
    }
    boolean whole = value instanceof Integer || value instanceof Long || value instanceof Short;
    return whole || value instanceof Byte ? Values.longValue(((Number) value).longValue()) : null;
  }

  /** Whether only the beginning of a value is in the index. */
  static boolean isLong(Object value) {
    return value instanceof String text && text.length() >= LIMIT;
  }

  /** A text whose order by code point is the given one's order by code unit. */
  private static String ordered(String text) {
    int plain = 0;
    while (plain < text.length() && text.charAt(plain) < FIRST_SURROGATE) {
      plain++;
    }
    if (plain == text.length()) {
      return text;
    }
    StringBuilder ordered = new StringBuilder(text.length() * 2).append(text, 0, plain);
    for (int i = plain; i < text.length(); i++) {
      char unit = text.charAt(i);
      int shifted = Character.MIN_SUPPLEMENTARY_CODE_POINT + unit - FIRST_SURROGATE;
      ordered.appendCodePoint(unit < FIRST_SURROGATE ? unit : shifted);
    }
    return ordered.toString();
  }
}
