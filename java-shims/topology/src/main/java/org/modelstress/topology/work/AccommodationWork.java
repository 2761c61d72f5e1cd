package org.modelstress.topology.work;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.Outcome.Kind;
import org.modelstress.harness.spi.Result;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.datasets.Marketplace;
import org.modelstress.topology.manager.DataObject;
import org.modelstress.topology.manager.Transaction;
import org.modelstress.topology.manager.TransactionException;
import org.modelstress.topology.objects.Accommodation;
import org.modelstress.topology.objects.Landlord;

/**
 * Accommodations of a random country in the order of their rents, with all attributes and the names
 * of their landlords (Free Data Objects, 7.4).
 */
public final class AccommodationWork {
  static final String QUERY = "SELECT FROM Accommodation WHERE countryCode = ? ORDER BY rentPerDay";

  private final boolean known;
  private final Random random;

  /** The work of a client. */
  public AccommodationWork(Topology topology, Random random) {
    this.known = topology.schema().type(Accommodation.TYPE) != null;
    this.random = random;
  }

  /** Operations by their names; none where the topology has no accommodations. */
  public Map<String, Action> actions() {
    return known ? Map.of("find-accommodations", this::find) : Map.of();
  }

  private Outcome find(Supplier<Transaction> begin, Map<String, Object> parameters)
      throws TransactionException {
    int size = number(parameters, "objects");
    int country = random.nextInt(number(parameters, "countries"));
    try (Transaction transaction = begin.get()) {
      List<DataObject> found = transaction.query(QUERY, Marketplace.code(size, country));
      float before = 0;
      for (DataObject object : found) {
        Places.readAll(object);
        Accommodation accommodation = new Accommodation(object);
        float rent = accommodation.getRentPerDay();
        Landlord owner = accommodation.getLandlord();
        if (owner == null || owner.getName() == null || rent < before) {
          return Outcome.failed(
              Kind.INCORRECT, object + " has no landlord, or is not in the order of rents");
        }
        before = rent;
      }
      transaction.commit();
      return found.size() == size
          ? Outcome.ok(new Result.Count(size))
          : Outcome.failed(
              Kind.INCORRECT, found.size() + " accommodations were found instead of " + size);
    }
  }

  static int number(Map<String, Object> parameters, String name) {
    if (parameters.get(name) instanceof Integer number) {
      return number;
    }
    throw new IllegalArgumentException(
        "parameter " + name + " is missing, or no whole number: " + parameters.get(name));
  }
}
