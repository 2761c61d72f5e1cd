package org.modelstress.topology.work;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
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
import org.modelstress.topology.wire.Reply.End;

/**
 * The five operations on ten customers that a client has for itself, each in a transaction of its
 * own or all in one (Free Data Objects, 7.2.1).
 *
 * <p>What was read stays in the client's object cache, so that a write needs no second reading: a
 * fine-grained operation is one round trip to the server, the coarse one three.
 */
public final class CustomerWork {
  /** Customers of one client. */
  public static final int OWN = 10;

  private static final String BY_NUMBER = "SELECT FROM Customer WHERE customerNo = ?";
  static final String RANGE =
      "SELECT FROM Customer WHERE customerNo >= ? AND customerNo <= ? ORDER BY customerNo";
  private static final int NONE = -1;

  private final ObjectType customer;
  private final int first;
  private final Random random;
  private long current = NONE;
  private List<Long> found = List.of();
  private List<Integer> foundNumbers = List.of();

  /** Numbers of deleted customers: one, and one more where a phase ended before its insert. */
  private SortedSet<Integer> missing = new TreeSet<>();

  /** The same when the transaction that is under way has ended. */
  private SortedSet<Integer> pending = new TreeSet<>();

  /** Whether nobody heard how a transaction ended, and who is there has to be looked up. */
  private boolean unsure;

  /**
   * The work of a client.
   *
   * @param client its number, from 0
   */
  public CustomerWork(Topology topology, int client, Random random) {
    this.customer = topology.schema().type(Customer.TYPE);
    this.first = client * OWN + 1;
    this.random = random;
  }

  /** Operations by their names; none where the topology has no customers. */
  public Map<String, Action> actions() {
    return customer == null
        ? Map.of()
        : Map.of(
            "find-customer", (begin, parameters) -> fine(begin, this::find),
            "update-customer", (begin, parameters) -> fine(begin, this::update),
            "find-customers", (begin, parameters) -> fine(begin, this::findRange),
            "delete-customer", (begin, parameters) -> fine(begin, this::delete),
            "insert-customer", (begin, parameters) -> fine(begin, this::insert),
            "customer-work", (begin, parameters) -> coarse(begin));
  }

  /** A part of a transaction: what it found, or what was wrong. */
  private interface Step {
    Outcome run(Transaction transaction) throws TransactionException;
  }

  private Outcome fine(Supplier<Transaction> begin, Step step) throws TransactionException {
    return ended(begin, List.of(step));
  }

  private Outcome coarse(Supplier<Transaction> begin) throws TransactionException {
    return ended(
        begin, List.of(this::find, this::update, this::findRange, this::delete, this::insert));
  }

  /** Steps of one transaction, up to the first that goes wrong, and its commit. */
  private Outcome ended(Supplier<Transaction> begin, List<Step> steps) throws TransactionException {
    int items = 0;
    try (Transaction transaction = begin.get()) {
      for (Step step : steps) {
        Outcome outcome = step.run(transaction);
        if (outcome.kind() != Kind.OK) {
          return outcome;
        }
        items += outcome.items();
      }
      transaction.commit();
      missing = new TreeSet<>(pending);
      return Outcome.ok(new Result.Count(items));
    } catch (TransactionException e) {
      unsure |= e.end() == End.UNKNOWN;
      throw e;
    } finally {
      pending = new TreeSet<>(missing);
    }
  }

  private Outcome find(Transaction transaction) throws TransactionException {
    int number;
    do {
      number = first + random.nextInt(OWN);
    } while (missing.contains(number));
    List<DataObject> objects = transaction.query(BY_NUMBER, number);
    if (objects.isEmpty() && unsure) {
      return Outcome.ok(Result.NONE);
    }
    if (objects.size() != 1 || new Customer(objects.get(0)).getCustomerNo() != number) {
      return Outcome.failed(
          Kind.INCORRECT, "customer " + number + " was found " + objects.size() + " times");
    }
    Places.readAll(objects.get(0));
    current = objects.get(0).oid();
    return Outcome.ok(new Result.Count(1));
  }

  private Outcome update(Transaction transaction) throws TransactionException {
    DataObject object = current == NONE ? null : transaction.get(customer, current);
    if (object == null) {
      return Outcome.failed(Kind.REJECTED, "no customer was found before");
    }
    new Customer(object).setContact(Customers.contact(random));
    return Outcome.ok(new Result.Count(1));
  }

  private Outcome findRange(Transaction transaction) throws TransactionException {
    List<DataObject> objects = transaction.query(RANGE, first, first + OWN - 1);
    List<Long> oids = new ArrayList<>();
    List<Integer> numbers = new ArrayList<>();
    for (DataObject object : objects) {
      Places.readAll(object);
      oids.add(object.oid());
      numbers.add(new Customer(object).getCustomerNo());
    }
    found = oids;
    foundNumbers = numbers;
    if (unsure) {
      lookUp(numbers);
    }
    List<Integer> expected = new ArrayList<>();
    for (int number = first; number < first + OWN; number++) {
      if (!missing.contains(number)) {
        expected.add(number);
      }
    }
    return numbers.equals(expected)
        ? Outcome.ok(new Result.Count(objects.size()))
        : Outcome.failed(Kind.INCORRECT, "customers " + expected + " were found as " + numbers);
  }

  private void lookUp(List<Integer> numbers) {
    unsure = false;
    missing.clear();
    for (int number = first; number < first + OWN; number++) {
      if (!numbers.contains(number)) {
        missing.add(number);
      }
    }
    pending = new TreeSet<>(missing);
  }

  private Outcome delete(Transaction transaction) throws TransactionException {
    if (found.size() < 2) {
      return Outcome.failed(Kind.REJECTED, "there are no customers of which one may go");
    }
    int which = 1 + random.nextInt(found.size() - 1);
    DataObject object = transaction.get(customer, found.get(which));
    if (object == null) {
      return Outcome.failed(
          Kind.INCORRECT, "customer " + foundNumbers.get(which) + " is not there any more");
    }
    object.delete();
    if (found.get(which) == current) {
      current = NONE;
    }
    pending.add(foundNumbers.get(which));
    return Outcome.ok(new Result.Count(1));
  }

  private Outcome insert(Transaction transaction) throws TransactionException {
    if (pending.isEmpty()) {
      return Outcome.failed(Kind.REJECTED, "all customers are there");
    }
    DataObject object = transaction.insert(customer);
    int number = pending.first();
    Object[] values = Customers.values(number, random);
    for (int place = 0; place < values.length; place++) {
      object.set(place, values[place]);
    }
    pending.remove(number);
    return Outcome.ok(new Result.Count(1));
  }
}
