package org.modelstress.topology.work;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.Outcome.Kind;
import org.modelstress.harness.spi.Result;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.datasets.Customers;
import org.modelstress.topology.manager.DataObject;
import org.modelstress.topology.manager.Transaction;
import org.modelstress.topology.manager.TransactionException;
import org.modelstress.topology.objects.Customer;
import org.modelstress.topology.schema.ObjectType;

/**
 * Twenty neighbouring customers that any client may find, and updates of single ones of them, each
 * in a transaction of its own (Free Data Objects, 7.6).
 */
public final class RangeWork {
  private static final int SIZE = 20;

  private final ObjectType customer;
  private final Random random;
  private final List<Long> found = new ArrayList<>();
  private int next;

  /** The work of a client. */
  public RangeWork(Topology topology, Random random) {
    this.customer = topology.schema().type(Customer.TYPE);
    this.random = random;
  }

  /** Operations by their names; none where the topology has no customers. */
  public Map<String, Action> actions() {
    return customer == null
        ? Map.of()
        : Map.of("find-range", this::find, "update-of-range", (begin, all) -> update(begin));
  }

  /** Ranges never lie in two partitions, of which there are {@code partitions} of the same size. */
  private Outcome find(Supplier<Transaction> begin, Map<String, Object> parameters)
      throws TransactionException {
    int partitions = AccommodationWork.number(parameters, "partitions");
    int size = AccommodationWork.number(parameters, "customers") / partitions;
    int first = random.nextInt(partitions) * size + 1 + random.nextInt(size - SIZE + 1);
    try (Transaction transaction = begin.get()) {
      List<DataObject> objects = transaction.query(CustomerWork.RANGE, first, first + SIZE - 1);
      found.clear();
      next = 0;
      for (DataObject object : objects) {
        Places.readAll(object);
        found.add(object.oid());
      }
      transaction.commit();
      return found.size() == SIZE
          ? Outcome.ok(new Result.Count(SIZE))
          : Outcome.failed(
              Kind.INCORRECT, found.size() + " customers from " + first + " on instead of " + SIZE);
    }
  }

  private Outcome update(Supplier<Transaction> begin) throws TransactionException {
    if (next >= found.size()) {
      return Outcome.failed(Kind.REJECTED, "no customers were found that are not updated yet");
    }
    try (Transaction transaction = begin.get()) {
      DataObject object = transaction.get(customer, found.get(next++));
      if (object == null) {
        return Outcome.failed(Kind.INCORRECT, "a customer that was found is not there");
      }
      new Customer(object).setContact(Customers.contact(random));
      transaction.commit();
      return Outcome.ok(new Result.Count(1));
    }
  }
}
