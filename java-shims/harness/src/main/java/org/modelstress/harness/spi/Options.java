package org.modelstress.harness.spi;

import java.util.Map;

/**
 * What a driver may need to know of the workload.
 *
 * @param timeoutMillis deadline of one execution; a driver returns TIMEOUT by then on its own if it
 *     can, and the harness records one a grace period later if it does not
 * @param values driver options from the workload file, by name
 */
public record Options(long timeoutMillis, Map<String, Object> values) {
  /** A text option, or its default. */
  public String text(String name, String fallback) {
    Object value = values.get(name);
    return value == null ? fallback : String.valueOf(value);
  }

  /** A whole-number option, or its default. */
  public long number(String name, long fallback) {
    Object value = values.get(name);
    return value instanceof Number n ? n.longValue() : fallback;
  }

  /** A number option, or its default. */
  public double decimal(String name, double fallback) {
    Object value = values.get(name);
    return value instanceof Number n ? n.doubleValue() : fallback;
  }
}
