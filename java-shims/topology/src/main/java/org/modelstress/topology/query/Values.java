package org.modelstress.topology.query;

/** The order of values, which stores and object managers have to agree in. */
public final class Values {
  private Values() {}

  /**
   * Compares two values that are not null: numbers by value, texts by code points as stores with
   * collation C do, false before true.
   *
   * @throws IllegalArgumentException where they cannot be compared
   */
  public static int compare(Object a, Object b) {
    if (a instanceof Number first && b instanceof Number second) {
      return compareNumbers(first, second);
    }
    if (a instanceof String first && b instanceof String second) {
      return compareTexts(first, second);
    }
    if (a instanceof Boolean first && b instanceof Boolean second) {
      return Boolean.compare(first, second);
    }
    throw new IllegalArgumentException(
        a.getClass().getSimpleName() + " and " + b.getClass().getSimpleName() + " have no order");
  }

  private static int compareNumbers(Number a, Number b) {
    if (isReal(a) || isReal(b)) {
      return Double.compare(a.doubleValue(), b.doubleValue());
    }
    return Long.compare(a.longValue(), b.longValue());
  }

  private static boolean isReal(Number number) {
    return number instanceof Double || number instanceof Float;
  }

  /** By code points: UTF-16 puts surrogates before U+E000, UTF-8 does not. */
  private static int compareTexts(String a, String b) {
    int length = Math.min(a.length(), b.length());
    for (int i = 0; i < length; i++) {
      char one = a.charAt(i);
      char other = b.charAt(i);
      if (one != other) {
        boolean surrogate = Character.isSurrogate(one);
        return surrogate == Character.isSurrogate(other)
            ? Character.compare(one, other)
            : surrogate ? 1 : -1;
      }
    }
    return Integer.compare(a.length(), b.length());
  }
}
