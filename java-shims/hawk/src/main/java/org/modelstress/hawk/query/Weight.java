package org.modelstress.hawk.query;

import java.util.Collection;
import java.util.Map;

/**
 * What it costs to walk through a value. Collections of which one has another twice, which has a
 * third twice and so on, are small, but to print, compare or send them takes for ever.
 */
public final class Weight {
  /** Visits to elements of nested collections. */
  private static final int MOST = 10_000_000;

  private int left = MOST;

  private Weight() {}

  /** Whether a value is walked through in reasonable time; its own elements are not counted. */
  public static boolean isBounded(Object value) {
    return new Weight().walk(value, 0);
  }

  private boolean walk(Object value, int depth) {
    if (value instanceof NodeList) {
      return true;
    }
    if (value instanceof Collection<?> all) {
      for (Object each : all) {
        if (!visit(each, depth)) {
          return false;
        }
      }
    } else if (value instanceof Map<?, ?> map) {
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        if (!visit(entry.getKey(), depth) || !visit(entry.getValue(), depth)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean visit(Object each, int depth) {
    return (depth == 0 || --left > 0) && walk(each, depth + 1);
  }
}
