package org.modelstress.topology.tool;

import io.netty.channel.EventLoopGroup;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.SessionContext;
import org.modelstress.topology.config.ConfigException;
import org.modelstress.topology.config.Link;
import org.modelstress.topology.config.ManagerConfig;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.ConnectionException;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.server.Manager;
import org.modelstress.topology.work.Shared;
import org.modelstress.topology.xa.TransactionLog;

/**
 * Clients: each session is an application with an object manager of its own, as if it were a
 * process of its own (Free Data Objects, 7.2.1, ran several clients in one process, too).
 */
public final class TopologyDriver implements Driver {
  /** Sessions of one client process at most; ids of managers are told apart by it. */
  static final int SESSIONS = 2_048;

  private final Shared shared = new Shared();
  private final Map<Integer, Client> known = new ConcurrentHashMap<>();
  private Topology topology;
  private EventLoopGroup threads;
  private TransactionLog log;

  @Override
  public String name() {
    return "topology";
  }

  @Override
  public Session open(Endpoints endpoints, SessionContext who) throws DriverException {
    Options options = who.options();
    try {
      begin(options, who.client());
      int number = who.client() * SESSIONS + who.thread();
      List<ManagerConfig> clients = clients(topology);
      ManagerConfig config = clients.get(number % clients.size());
      int id = config.firstId() + number / clients.size();
      if (who.thread() >= SESSIONS || id > config.lastId()) {
        throw new ConfigException(
            "managers."
                + config.name()
                + ".ids: session "
                + number
                + " has none; it has "
                + (config.lastId() - config.firstId() + 1));
      }
      Map<String, String> addresses = new HashMap<>();
      endpoints.nodes().forEach((node, at) -> addresses.put(node, at.uri().toString()));
      if (config.links().get(0).adapter() == Link.Adapter.RMI) {
        return new RmiWorkSession(topology, config.links().get(0).peer(), addresses, who);
      }
      ObjectManager objects =
          Manager.of(
              topology,
              config,
              id,
              Configured.addresses(addresses),
              threads,
              ManagerNode.coordinator(log, topology));
      Random random = new Random(who.seed());
      Client client = known.computeIfAbsent(number, n -> new Client(topology, n, random, shared));
      return new TopologySession(objects, options.timeoutMillis(), client);
    } catch (ConfigException | ConnectionException | IllegalArgumentException e) {
      throw new DriverException(e.getMessage(), e);
    }
  }

  /** What all sessions of the process have in common. */
  private synchronized void begin(Options options, int client) throws ConfigException {
    if (topology != null) {
      return;
    }
    Topology read = Configured.topology(options.values(), options.text("protocol", "nio"));
    if (clients(read).stream().anyMatch(TransactionLog::isNeeded)) {
      log = TransactionLog.open(Path.of("transactions"), "client-" + client);
    }
    threads = Manager.threads();
    topology = read;
  }

  /** Managers that nobody connects to: sessions are like the first, the second … and so on. */
  private static List<ManagerConfig> clients(Topology topology) throws ConfigException {
    List<ManagerConfig> clients =
        topology.managers().stream().filter(ManagerConfig::isClient).toList();
    if (clients.isEmpty()) {
      throw new ConfigException("the topology has no manager without listeners: no client");
    }
    return clients;
  }

  @Override
  public synchronized void close() {
    if (log != null) {
      log.close();
    }
    if (threads != null) {
      Manager.end(threads);
    }
  }
}
