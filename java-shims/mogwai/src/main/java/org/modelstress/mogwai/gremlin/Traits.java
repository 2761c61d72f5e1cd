package org.modelstress.mogwai.gremlin;

/**
 * What is known of an expression before it is evaluated; false means unknown.
 *
 * @param total its value is never {@code invalid} and its evaluation does not fail
 * @param present its value is never null
 * @param elements it is a collection without null
 */
record Traits(boolean total, boolean present, boolean elements) {
  static final Traits UNKNOWN = new Traits(false, false, false);
  static final Traits TOTAL = new Traits(true, false, false);
  static final Traits PRESENT = new Traits(true, true, false);

  static Traits totalIf(boolean total) {
    return total ? TOTAL : UNKNOWN;
  }

  static Traits presentIf(boolean sure) {
    return sure ? PRESENT : UNKNOWN;
  }

  /** Neither null nor invalid. */
  boolean sure() {
    return total && present;
  }
}
