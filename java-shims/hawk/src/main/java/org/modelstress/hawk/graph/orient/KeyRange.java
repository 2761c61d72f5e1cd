package org.modelstress.hawk.graph.orient;

import java.util.function.LongPredicate;
import org.modelstress.hawk.graph.Comparison;
import org.modelstress.hawk.graph.IndexType;

/**
 * The keys of an index that a look-up asks for, an interval.
 *
 * @param from lower bound, null for none
 * @param fromInclusive whether the lower bound belongs to it
 * @param to upper bound, null for none
 * @param toInclusive whether the upper bound belongs to it
 */
record KeyRange(Comparable<?> from, boolean fromInclusive, Comparable<?> to, boolean toInclusive) {

  /** The key of an entry: Boolean, Long, Double or String. */
  static Comparable<?> key(IndexType type, Object value) {
    if (type == IndexType.TRUTH && value instanceof Boolean truth) {
      return truth;
    }
    if (type == IndexType.WHOLE && (value instanceof Integer || value instanceof Long)) {
      return ((Number) value).longValue();
    }
    if (type == IndexType.REAL && (value instanceof Double || value instanceof Float)) {
      return ((Number) value).doubleValue();
    }
    if (type == IndexType.TEXT && value instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException(
        "an index of " + type + " holds no " + (value == null ? null : value.getClass()));
  }

  /** The keys that compare so with a value; null for none at all. */
  static KeyRange of(IndexType type, Comparison comparison, Object value) {
    if (type == IndexType.TRUTH) {
      return comparison == Comparison.EQ && value instanceof Boolean truth
          ? of(comparison, truth)
          : null;
    }
    if (type == IndexType.TEXT) {
      return value instanceof String text ? of(comparison, text) : null;
    }
    if (!(value instanceof Number number)) {
      return null;
    }
    if (type == IndexType.REAL) {
      return of(comparison, number.doubleValue());
    }
    boolean real = number instanceof Double || number instanceof Float;
    return real ? whole(comparison, number.doubleValue()) : of(comparison, number.longValue());
  }

  /** Whether an entry is in this range, whose bounds are of its type. */
  boolean contains(Comparable<?> entry) {
    int low = from == null ? 1 : compare(entry, from);
    int high = to == null ? -1 : compare(entry, to);
    return (fromInclusive ? low >= 0 : low > 0) && (toInclusive ? high <= 0 : high < 0);
  }

  @SuppressWarnings("unchecked")
  private static <T> int compare(Comparable<T> entry, Object bound) {
    return entry.compareTo((T) bound);
  }

  private static KeyRange of(Comparison comparison, Comparable<?> key) {
    return switch (comparison) {
      case EQ -> new KeyRange(key, true, key, true);
      case LT -> new KeyRange(null, false, key, false);
      case LE -> new KeyRange(null, false, key, true);
      case GT -> new KeyRange(key, false, null, false);
      case GE -> new KeyRange(key, true, null, false);
    };
  }

  /** Whole numbers beside a real one: each counts as the real number next to it. */
  private static KeyRange whole(Comparison comparison, double value) {
    Long notBelow = first(key -> Double.compare(key, value) >= 0);
    Long above = first(key -> Double.compare(key, value) > 0);
    KeyRange range =
        switch (comparison) {
          case EQ -> notBelow == null ? null : new KeyRange(notBelow, true, above, false);
          case LT -> new KeyRange(null, false, notBelow, false);
          case LE -> new KeyRange(null, false, above, false);
          case GT -> above == null ? null : new KeyRange(above, true, null, false);
          case GE -> notBelow == null ? null : new KeyRange(notBelow, true, null, false);
        };
    return range != null && comparison == Comparison.EQ && notBelow.equals(above) ? null : range;
  }

  /**
   * The least number that a condition holds for, if it holds for all greater ones; null if none.
   */
  private static Long first(LongPredicate condition) {
    long low = Long.MIN_VALUE;
    long high = Long.MAX_VALUE;
    while (low < high) {
      long middle = (low & high) + ((low ^ high) >> 1);
      if (condition.test(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return condition.test(low) ? low : null;
  }
}
