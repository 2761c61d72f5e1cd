package org.modelstress.hawk.graph.orient;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Property values as fields of documents. OrientDB has no arrays of numbers: an array becomes a
 * list whose first item names the type, so that empty ones keep it.
 */
final class FieldValues {
  private FieldValues() {}

  /**
   * The field value of a property value.
   *
   * @throws IllegalArgumentException if it is of no type that the graph stores
   */
  static Object field(Object value) {
    if (value instanceof Boolean
        || value instanceof Integer
        || value instanceof Long
        || value instanceof Double
        || value instanceof String) {
      return value;
    }
    List<Object> list = new ArrayList<>();
    if (value instanceof boolean[] truths) {
      list.add("boolean");
      for (boolean truth : truths) {
        list.add(truth);
      }
    } else if (value instanceof int[] numbers) {
      list.add("int");
      Arrays.stream(numbers).forEach(list::add);
    } else if (value instanceof long[] numbers) {
      list.add("long");
      Arrays.stream(numbers).forEach(list::add);
    } else if (value instanceof double[] numbers) {
      list.add("double");
      Arrays.stream(numbers).forEach(list::add);
    } else if (value instanceof String[] texts) {
      list.add("String");
      list.addAll(Arrays.asList(texts));
    } else {
      throw new IllegalArgumentException(
          "the graph stores no values of " + (value == null ? null : value.getClass()));
    }
    return list;
  }

  /** The property value of a field value. */
  static Object property(Object field) {
    if (!(field instanceof List<?> list)) {
      return field;
    }
    List<?> items = list.subList(1, list.size());
    return switch ((String) list.get(0)) {
      case "boolean" -> truths(items);
      case "int" -> items.stream().mapToInt(v -> (Integer) v).toArray();
      case "long" -> items.stream().mapToLong(v -> (Long) v).toArray();
      case "double" -> items.stream().mapToDouble(v -> (Double) v).toArray();
      case "String" -> items.toArray(new String[0]);
      default -> throw new IllegalStateException("a list without its type");
    };
  }

  private static boolean[] truths(List<?> items) {
    boolean[] truths = new boolean[items.size()];
    for (int i = 0; i < truths.length; i++) {
      truths[i] = (Boolean) items.get(i);
    }
    return truths;
  }
}
