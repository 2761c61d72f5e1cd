package org.modelstress.thrift.server;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Values of a server's options, by name. What is wrong with one is an {@link
 * IllegalArgumentException} that names it.
 */
public final class OptionValues {
  private OptionValues() {}

  /** Refuses names that are neither the API's ({@link ApiOptions#NAMES}) nor the server's own. */
  public static void refuseOthers(Map<String, Object> options, Set<String> own) {
    Set<String> known = new TreeSet<>(own);
    known.addAll(ApiOptions.NAMES);
    for (String name : options.keySet()) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException("unknown option " + name + "; known are " + known);
      }
    }
  }

  /** A whole number within bounds. */
  public static int whole(
      Map<String, Object> options, String name, int fallback, int min, int max) {
    Object value = options.getOrDefault(name, fallback);
    if (value instanceof Integer number && number >= min && number <= max) {
      return number;
    }
    throw new IllegalArgumentException(
        name + " is " + value + ", not a whole number from " + min + " to " + max);
  }

  /** True or false. */
  public static boolean truth(Map<String, Object> options, String name, boolean fallback) {
    if (options.getOrDefault(name, fallback) instanceof Boolean value) {
      return value;
    }
    throw new IllegalArgumentException(name + " is " + options.get(name) + ", not true or false");
  }

  /** Text that is not blank. */
  public static String name(Map<String, Object> options, String name, String fallback) {
    Object value = options.getOrDefault(name, fallback);
    if (value instanceof String text && !text.isBlank()) {
      return text;
    }
    throw new IllegalArgumentException(name + " is " + value + ", not a name");
  }

  /** A list of texts that are not blank; empty without one. */
  public static List<String> names(Map<String, Object> options, String name) {
    Object value = options.getOrDefault(name, List.of());
    if (value instanceof List<?> all
        && all.stream().allMatch(each -> each instanceof String text && !text.isBlank())) {
      return all.stream().map(String.class::cast).toList();
    }
    throw new IllegalArgumentException(name + " is " + value + ", not a list of names");
  }
}
