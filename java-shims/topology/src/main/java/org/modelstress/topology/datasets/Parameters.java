package org.modelstress.topology.datasets;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Parameters of a dataset, as a study gives them. */
final class Parameters {
  private final String dataset;
  private final Map<String, Object> given;
  private final Set<String> used = new HashSet<>();

  Parameters(String dataset, Map<String, Object> given) {
    this.dataset = dataset;
    this.given = given;
  }

  int number(String name, int fallback, int least, int most) throws DatasetException {
    used.add(name);
    Object value = given.getOrDefault(name, fallback);
    if (!(value instanceof Integer number) || number < least || number > most) {
      throw new DatasetException(
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
    return number;
  }

  void allUsed() throws DatasetException {
    for (String name : given.keySet()) {
      if (!used.contains(name)) {
        throw new DatasetException(
            "dataset " + dataset + " has no parameter " + name + "; it has " + used);
      }
    }
  }
}
