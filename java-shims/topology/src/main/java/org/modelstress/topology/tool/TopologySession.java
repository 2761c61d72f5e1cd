package org.modelstress.topology.tool;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.Outcome.Kind;
import org.modelstress.harness.spi.SessionContext;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.manager.TransactionException;
import org.modelstress.topology.work.AccommodationWork;
import org.modelstress.topology.work.Action;
import org.modelstress.topology.work.CustomerNumbers;
import org.modelstress.topology.work.CustomerWork;
import org.modelstress.topology.work.FerryWork;
import org.modelstress.topology.work.MarketWork;
import org.modelstress.topology.work.RangeWork;
import org.modelstress.topology.work.Shared;

/** What one client does: the operations of all scenarios, by their names. */
final class TopologySession implements Driver.Session {
  /**
   * Whose session it is. What a client must not forget when a session is opened anew is kept in the
   * process.
   *
   * @param number of the client, from 0
   * @param again whether it has had a session before
   * @param numbers of the customers that the process makes
   * @param shared what the ferry line tells
   */
  record Client(int number, boolean again, CustomerNumbers numbers, Shared shared) {}

  private final ObjectManager objects;
  private final long timeoutMillis;
  private final Map<String, Action> actions = new HashMap<>();

  TopologySession(ObjectManager objects, SessionContext who, Client client) {
    this.objects = objects;
    this.timeoutMillis = who.options().timeoutMillis();
    Random random = new Random(who.seed());
    actions.putAll(
        new CustomerWork(objects.topology(), client.number(), client.again(), random).actions());
    actions.putAll(new AccommodationWork(objects.topology(), random).actions());
    actions.putAll(new RangeWork(objects.topology(), random).actions());
    actions.putAll(new MarketWork(objects.topology(), client.numbers(), random).actions());
    actions.putAll(new FerryWork(objects.topology(), client.number(), client.shared()).actions());
  }

  @Override
  public Outcome execute(Operation operation) {
    // operations that differ in parameters only are one action
    Object name = operation.parameters().getOrDefault("action", operation.name());
    Action action = actions.get(String.valueOf(name));
    if (action == null) {
      return Outcome.failed(
          Kind.ERROR, "there is no action " + name + "; there are " + actions.keySet());
    }
    try {
      return action.run(() -> objects.begin(timeoutMillis), operation.parameters());
    } catch (TransactionException e) {
      return outcome(e);
    } catch (IllegalArgumentException e) { // a parameter, or a type that the topology does not have
      return Outcome.failed(Kind.ERROR, e.getMessage());
    }
  }

  private static Outcome outcome(TransactionException e) {
    String detail = e.end().name().toLowerCase(java.util.Locale.ROOT) + ": " + e.getMessage();
    Kind kind =
        switch (e.end()) {
          case VERSION, PREDICATE, DEADLOCK -> Kind.ABORTED;
          case COMMITTED, UNREACHABLE, UNKNOWN -> e.late() ? Kind.TIMEOUT : Kind.ERROR;
        };
    return Outcome.failed(kind, detail);
  }

  @Override
  public void close() {
    objects.close();
  }
}
