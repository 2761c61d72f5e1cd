package org.modelstress.metadata.population;

import java.util.Map;
import java.util.Set;

/**
 * Objects that a store is loaded with.
 *
 * @param objects how many
 * @param inPlace whether the store is too large for a copy at every start
 */
public record PopulationDataset(long objects, boolean inPlace) {
  private static final long MOST = 1_000_000_000;
  private static final Set<String> PARAMETERS = Set.of("objects", "in_place");

  /**
   * The dataset of a name.
   *
   * @throws IllegalArgumentException where a parameter makes no sense; says which
   */
  public static PopulationDataset of(String name, Map<String, Object> parameters) {
    for (String parameter : parameters.keySet()) {
      if (!PARAMETERS.contains(parameter)) {
        throw new IllegalArgumentException(
            "dataset " + name + " has no parameter " + parameter + "; it has " + PARAMETERS);
      }
    }
    Object inPlace = parameters.getOrDefault("in_place", false);
    if (!(inPlace instanceof Boolean)) {
      throw new IllegalArgumentException(
          "dataset " + name + ": in_place is true or false, not " + inPlace);
    }
    return new PopulationDataset(
        number(name, "objects", parameters.get("objects"), 0, MOST), (Boolean) inPlace);
  }

  private static long number(String dataset, String name, Object value, long least, long most) {
    if (value instanceof Number number
        && !(value instanceof Double)
        && number.longValue() >= least
        && number.longValue() <= most) {
      return number.longValue();
    }
    throw new IllegalArgumentException(
        "dataset "
            + dataset
            + ": "
            + name
            + " is "
            + value
            + "; it is a whole number from "
            + least
            + " to "
            + most);
  }
}
