package org.modelstress.hawk.graph.orient;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Numbers for edge labels and property keys; a number stays the same as long as the graph lives.
 */
final class Tokens {
  private final Map<String, Integer> numbers = new ConcurrentHashMap<>();
  private volatile List<String> names = List.of();

  int number(String name) {
    Integer known = numbers.get(name);
    return known != null ? known : add(name);
  }

  private synchronized int add(String name) {
    Integer known = numbers.get(name);
    if (known != null) {
      return known;
    }
    List<String> longer = new ArrayList<>(names);
    longer.add(name);
    names = longer;
    numbers.put(name, longer.size() - 1);
    return longer.size() - 1;
  }

  String name(int number) {
    return names.get(number);
  }

  /** The names so far, by number; the list does not change. */
  List<String> names() {
    return names;
  }
}
