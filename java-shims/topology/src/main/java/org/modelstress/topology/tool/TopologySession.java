package org.modelstress.topology.tool;

import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.Outcome.Kind;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.manager.TransactionException;

/** A client's object manager, as if the client were a process of its own. */
final class TopologySession implements Driver.Session {
  private final ObjectManager objects;
  private final long timeoutMillis;
  private final Client client;

  TopologySession(ObjectManager objects, long timeoutMillis, Client client) {
    this.objects = objects;
    this.timeoutMillis = timeoutMillis;
    this.client = client;
  }

  @Override
  public Outcome execute(Operation operation) {
    try {
      return client.run(operation, () -> objects.begin(timeoutMillis));
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
