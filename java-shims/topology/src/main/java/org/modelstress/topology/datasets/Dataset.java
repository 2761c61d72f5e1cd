package org.modelstress.topology.datasets;

import java.util.Map;
import java.util.random.RandomGenerator;

/** Objects that stores are populated with: the same for the same parameters. */
public interface Dataset {
  /** Takes objects, one after the other. */
  interface Objects {
    /**
     * Adds an object.
     *
     * @param type its name
     * @param values of its attributes, in their order; numbers fit whatever type they have
     * @return its identifier, which references of later ones use
     */
    long add(String type, Object... values) throws DatasetException;
  }

  /** How many objects it has. */
  long size();

  /** Adds all of them. */
  void fill(Objects to, RandomGenerator random) throws DatasetException;

  /**
   * The dataset of a name.
   *
   * @param parameters whole numbers by name; what is missing is as in the chapter
   * @throws DatasetException where there is none, or it has no such parameter
   */
  static Dataset of(String name, Map<String, Object> parameters) throws DatasetException {
    Parameters given = new Parameters(name, parameters);
    Dataset dataset =
        switch (name.replaceAll("-[0-9]+$", "")) { // a study has several of different sizes
          case "customers" -> new Customers(given.number("customers", 5_000, 10, 10_000_000));
          case "marketplace" ->
              new Marketplace(
                  given.number("accommodations", 5_000, 201, 10_000_000),
                  given.number("landlords", 10, 1, 100_000),
                  given.number("customers", 0, 0, 10_000_000));
          case "ferry" -> new Ferry();
          default ->
              throw new DatasetException(
                  "there is no dataset " + name + "; there are customers, marketplace and ferry");
        };
    given.allUsed();
    return dataset;
  }
}
