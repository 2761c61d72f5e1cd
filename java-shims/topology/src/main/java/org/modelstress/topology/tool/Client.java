package org.modelstress.topology.tool;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.Outcome.Kind;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.manager.Transaction;
import org.modelstress.topology.manager.TransactionException;
import org.modelstress.topology.work.AccommodationWork;
import org.modelstress.topology.work.Action;
import org.modelstress.topology.work.CustomerWork;
import org.modelstress.topology.work.FerryWork;
import org.modelstress.topology.work.MarketWork;
import org.modelstress.topology.work.RangeWork;
import org.modelstress.topology.work.Shared;

/**
 * What one client does: the operations of all scenarios, by their names, and what it knows between
 * them. A client outlives its sessions, which the harness opens anew after a failure: what it
 * found, which customers it made, and whose end nobody heard, an application would still know, too.
 */
final class Client {
  private final Map<String, Action> actions = new HashMap<>();
  private final ReentrantLock busy = new ReentrantLock();

  Client(Topology topology, int number, Random random, Shared shared) {
    actions.putAll(new CustomerWork(topology, number, random).actions());
    actions.putAll(new AccommodationWork(topology, random).actions());
    actions.putAll(new RangeWork(topology, random).actions());
    actions.putAll(new MarketWork(topology, number, random).actions());
    actions.putAll(new FerryWork(topology, shared).actions());
  }

  /**
   * Does an operation.
   *
   * @param begin begins a transaction of the client's session
   * @throws IllegalArgumentException a parameter is wrong, or the topology lacks a type
   */
  Outcome run(Operation operation, Supplier<Transaction> begin) throws TransactionException {
    // operations that differ in parameters only are one action
    Object name = operation.parameters().getOrDefault("action", operation.name());
    Action action = actions.get(String.valueOf(name));
    if (action == null) {
      return Outcome.failed(
          Kind.ERROR, "there is no action " + name + "; there are " + actions.keySet());
    }
    if (!busy.tryLock()) { // an execution of a session before, which the harness waits for no more
      return Outcome.failed(Kind.ERROR, "what the client did last has not ended yet");
    }
    try {
      return action.run(begin, operation.parameters());
    } finally {
      busy.unlock();
    }
  }
}
