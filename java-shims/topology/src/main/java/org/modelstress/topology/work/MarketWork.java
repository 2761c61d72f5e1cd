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
import org.modelstress.topology.datasets.Marketplace;
import org.modelstress.topology.manager.DataObject;
import org.modelstress.topology.manager.Transaction;
import org.modelstress.topology.manager.TransactionException;
import org.modelstress.topology.objects.Accommodation;
import org.modelstress.topology.objects.Customer;
import org.modelstress.topology.objects.Landlord;
import org.modelstress.topology.objects.Reservation;
import org.modelstress.topology.schema.ObjectType;

/**
 * The six transactions of the marketplace for accommodations (Free Data Objects, 7.1.1). They know
 * nothing of processes and stores; what can only be read where they run, they refuse to write.
 */
public final class MarketWork {
  private static final String IN_COUNTRY = "SELECT FROM Accommodation WHERE countryCode = ?";

  /** Countries with 1 to 20 accommodations at the beginning. */
  private static final List<Integer> SIZES = Marketplace.SIZES.subList(0, 5);

  private static final int FIRST_DAYS = 1_000;
  private static final int LONGEST_STAY = 14;

  /** Customers that a client makes have numbers that no other client gives. */
  private static final int FIRST_NUMBER = 1_000_000;

  private static final int NUMBERS = 100_000;

  private final Topology topology;
  private final Random random;
  private final List<Long> landlords = new ArrayList<>();
  private final List<Long> customers = new ArrayList<>();
  private int nextNumber;

  /**
   * The work of a client.
   *
   * @param client its number, from 0
   */
  public MarketWork(Topology topology, int client, Random random) {
    this.topology = topology;
    this.random = random;
    this.nextNumber = FIRST_NUMBER + client * NUMBERS;
  }

  /** A transaction: how many objects it writes, or why it is not done. */
  private interface Step {
    Outcome run(Transaction transaction, Map<String, Object> parameters)
        throws TransactionException;
  }

  /** Operations by their names; none where the topology has no such objects. */
  public Map<String, Action> actions() {
    for (String type :
        List.of(Landlord.TYPE, Accommodation.TYPE, Reservation.TYPE, Customer.TYPE)) {
      if (topology.schema().type(type) == null) {
        return Map.of();
      }
    }
    return Map.of(
        "add-landlord", (begin, parameters) -> added(begin, landlords, this::landlord),
        "add-customer", (begin, parameters) -> added(begin, customers, this::customer),
        "add-accommodation", (begin, parameters) -> ended(begin, parameters, this::accommodation),
        "describe", (begin, parameters) -> ended(begin, parameters, ofAny(this::describe)),
        "reserve", (begin, parameters) -> ended(begin, parameters, ofAny(this::reserve)),
        "cancel", (begin, parameters) -> ended(begin, parameters, ofAny(this::cancel)));
  }

  private static Outcome ended(
      Supplier<Transaction> begin, Map<String, Object> parameters, Step step)
      throws TransactionException {
    try (Transaction transaction = begin.get()) {
      Outcome outcome = step.run(transaction, parameters);
      if (outcome.kind() == Kind.OK) {
        transaction.commit();
      }
      return outcome;
    }
  }

  /** A new object. */
  private interface Making {
    DataObject make(Transaction transaction) throws TransactionException;
  }

  private static Outcome added(Supplier<Transaction> begin, List<Long> known, Making making)
      throws TransactionException {
    try (Transaction transaction = begin.get()) {
      DataObject object = making.make(transaction);
      transaction.commit();
      known.add(object.oid());
      return written(1);
    }
  }

  private static Outcome written(int objects) {
    return Outcome.ok(new Result.Count(objects));
  }

  private static Outcome refused(String why) {
    return Outcome.failed(Kind.REJECTED, why);
  }

  private DataObject landlord(Transaction transaction) throws TransactionException {
    return made(transaction, Landlord.TYPE, Marketplace.landlord(random));
  }

  private DataObject customer(Transaction transaction) throws TransactionException {
    return made(transaction, Customer.TYPE, Customers.values(nextNumber++, random));
  }

  private Outcome accommodation(Transaction transaction, Map<String, Object> parameters)
      throws TransactionException {
    DataObject owner = known(transaction, Landlord.TYPE, landlords);
    if (owner == null) {
      return refused("there is no landlord");
    }
    Object[] values = Marketplace.accommodation(country(parameters), owner.oid(), random);
    DataObject object = made(transaction, Accommodation.TYPE, values);
    new Calendar(topology, transaction, new Accommodation(object)).open();
    return written(2);
  }

  /** What is done with an accommodation. */
  private interface Using {
    Outcome run(Transaction transaction, Accommodation any) throws TransactionException;
  }

  /** A step with a random accommodation, refused where that cannot be written. */
  private Step ofAny(Using using) {
    return (transaction, parameters) -> {
      Accommodation any = any(transaction, parameters);
      return transaction.isWritable(any.object())
          ? using.run(transaction, any)
          : refused("the accommodation can only be read here");
    };
  }

  private Outcome describe(Transaction transaction, Accommodation any) {
    any.setDescription(Marketplace.description(random));
    return written(1);
  }

  private Outcome reserve(Transaction transaction, Accommodation any) throws TransactionException {
    int first = random.nextInt(FIRST_DAYS);
    int last = first + random.nextInt(LONGEST_STAY);
    DataObject guest = known(transaction, Customer.TYPE, customers);
    if (guest == null) {
      return refused("there is no customer");
    }
    int objects =
        new Calendar(topology, transaction, any).reserve(first, last, new Customer(guest));
    return objects > 0 ? written(objects) : refused("some of the days are reserved");
  }

  private Outcome cancel(Transaction transaction, Accommodation any) throws TransactionException {
    int objects = new Calendar(topology, transaction, any).cancel(random);
    return objects > 0 ? written(objects) : refused("no day of the accommodation is reserved");
  }

  /** A random accommodation of a random country. */
  private Accommodation any(Transaction transaction, Map<String, Object> parameters)
      throws TransactionException {
    List<DataObject> found = transaction.query(IN_COUNTRY, country(parameters));
    if (found.isEmpty()) {
      throw new IllegalArgumentException(
          "parameter countries is too large: one of them has no accommodation");
    }
    return new Accommodation(found.get(random.nextInt(found.size())));
  }

  private int country(Map<String, Object> parameters) {
    int country = random.nextInt(AccommodationWork.number(parameters, "countries"));
    return Marketplace.code(SIZES.get(random.nextInt(SIZES.size())), country);
  }

  /** A random one of the objects that may be referred to: those that can be written here. */
  private DataObject known(Transaction transaction, String type, List<Long> oids)
      throws TransactionException {
    ObjectType wanted = topology.schema().type(type);
    if (oids.isEmpty()) {
      for (DataObject object : transaction.query("SELECT FROM " + type)) {
        if (transaction.isWritable(object)) {
          oids.add(object.oid());
        }
      }
    }
    return oids.isEmpty() ? null : transaction.get(wanted, oids.get(random.nextInt(oids.size())));
  }

  private DataObject made(Transaction transaction, String type, Object[] values)
      throws TransactionException {
    DataObject object = transaction.insert(topology.schema().type(type));
    for (int place = 0; place < values.length; place++) {
      object.set(place, values[place]);
    }
    return object;
  }
}
