package org.modelstress.topology.tool;

import java.util.Map;
import java.util.Random;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.SessionContext;
import org.modelstress.topology.config.ConfigException;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.ConnectionException;
import org.modelstress.topology.connection.rmi.RmiClient;
import org.modelstress.topology.server.Manager;
import org.modelstress.topology.work.RemoteAccommodationWork;

/** A client by RMI: it has no object manager, and scenario 4 asks it nothing but accommodations. */
final class RmiWorkSession implements Driver.Session {
  private static final String FIND = "find-accommodations";

  private final RmiClient client;
  private final RemoteAccommodationWork work;

  RmiWorkSession(Topology topology, String peer, Map<String, String> addresses, SessionContext who)
      throws ConfigException, ConnectionException {
    client = new RmiClient(peer, Manager.socket(addresses.getOrDefault(peer, ""), "rmi"));
    work = new RemoteAccommodationWork(topology, client, new Random(who.seed()));
  }

  @Override
  public Outcome execute(Operation operation) {
    Object action = operation.parameters().getOrDefault("action", operation.name());
    if (!FIND.equals(action)) {
      return Outcome.failed(
          Outcome.Kind.ERROR, "by RMI there is no action " + action + "; there is " + FIND);
    }
    try {
      return work.find(operation.parameters());
    } catch (IllegalArgumentException e) {
      return Outcome.failed(Outcome.Kind.ERROR, e.getMessage());
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
