package org.modelstress.mogwai.gremlin;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@code sortedBy}. */
final class Sorting {
  private Sorting() {}

  /**
   * The elements by what the body gives for them, equal ones in the order that they came in; null
   * if the body is undefined for one. Fails if two values cannot be compared.
   */
  @SuppressWarnings("unchecked")
  static List<Object> sorted(Collection<?> all, int slot, Plan body, Frame frame) {
    Map<Object, Comparable<Object>> keys = new HashMap<>();
    for (Object element : all) {
      frame.step();
      frame.slots[slot] = element;
      Object key = body.safe(frame);
      if (Plan.isUndefined(key)) {
        return null;
      }
      keys.put(element, (Comparable<Object>) key);
    }
    List<Object> sorted = new ArrayList<>(all);
    sorted.sort((one, other) -> keys.get(one).compareTo(keys.get(other)));
    return sorted;
  }
}
