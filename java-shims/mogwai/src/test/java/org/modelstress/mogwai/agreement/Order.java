package org.modelstress.mogwai.agreement;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.ToLongFunction;

/** An order that sets and bags may have. */
interface Order {
  /** Brings the values of one set or bag into this order. */
  void arrange(List<Object> values);

  /** By ascending keys. */
  static Order by(ToLongFunction<Object> key) {
    return values -> values.sort(Comparator.comparingLong(key));
  }

  /** A key that has nothing to do with the value, but is always the same for it. */
  static ToLongFunction<Object> chance(long seed) {
    return value -> new Random(seed * 31 + (value == null ? 0 : value.hashCode())).nextLong();
  }

  /** Another order each time. */
  static Order chances(long seed) {
    Random random = new Random(seed);
    return values -> Collections.shuffle(values, random);
  }
}
