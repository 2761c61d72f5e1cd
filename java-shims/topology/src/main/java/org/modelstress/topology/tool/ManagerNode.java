package org.modelstress.topology.tool;

import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.modelstress.harness.server.Ports;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.topology.config.ConfigException;
import org.modelstress.topology.config.Link;
import org.modelstress.topology.config.ManagerConfig;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.manager.Coordinator;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.server.GenericServer;
import org.modelstress.topology.server.Manager;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Request;
import org.modelstress.topology.xa.TransactionLog;
import org.modelstress.topology.xa.TwoPhaseCoordinator;

/**
 * A node that is an object manager: a server of the configuration, and nothing of an application.
 */
final class ManagerNode implements ToolServer.Running {
  private static final long REACH_MILLIS = 10_000;

  private final GenericServer server;
  private final TransactionLog log;
  private final Link.Adapter adapter;
  private final String protocol;

  private ManagerNode(
      GenericServer server, TransactionLog log, Link.Adapter adapter, String protocol) {
    this.server = server;
    this.log = log;
    this.adapter = adapter;
    this.protocol = protocol;
  }

  static ManagerNode start(ServerConfig config, Topology topology, String protocol, int port)
      throws ServerException {
    ManagerConfig manager = topology.manager(config.node());
    if (manager == null) {
      List<String> names = topology.managers().stream().map(ManagerConfig::name).toList();
      throw TopologyServer.wrong(
          "node: the topology has no manager " + config.node() + "; it has " + names);
    }
    if (manager.listeners().size() != 1) {
      throw TopologyServer.wrong(
          "managers."
              + config.node()
              + ".listeners: the harness starts servers with one, not "
              + manager.listeners().size());
    }
    TransactionLog log =
        TransactionLog.isNeeded(manager)
            ? TransactionLog.open(config.work().resolve("transactions"), config.node())
            : null;
    EventLoopGroup threads = Manager.threads();
    ObjectManager objects = null;
    try {
      objects =
          Manager.of(
              topology,
              manager,
              manager.firstId(),
              addresses(config),
              threads,
              coordinator(log, topology));
      reach(objects, topology, manager);
      Link.Adapter adapter = manager.listeners().iterator().next();
      GenericServer server =
          new GenericServer(
              topology, manager, objects, threads, config.bind(), Map.of(adapter, port));
      return new ManagerNode(server, log, adapter, protocol);
    } catch (ConfigException | IOException | ServerException e) {
      if (objects != null) {
        objects.close();
      }
      Manager.end(threads);
      throw exception(e, config, port);
    }
  }

  static Function<List<Connection>, Coordinator> coordinator(
      TransactionLog log, Topology topology) {
    return log == null
        ? connections -> Coordinator.none()
        : connections -> new TwoPhaseCoordinator(log, topology, connections);
  }

  private static ServerException exception(Exception e, ServerConfig config, int port) {
    if (e instanceof ServerException known) {
      return known;
    }
    if (e instanceof ConfigException) {
      return new ServerException(Exit.CONFIG, e.getMessage(), e);
    }
    return Ports.isBusy(e)
        ? Ports.busy(config.bind(), port, e)
        : new ServerException(Exit.INTERNAL, "cannot listen: " + e.getMessage(), e);
  }

  private static Map<String, Map<String, String>> addresses(ServerConfig config) {
    return Configured.addresses(
        config.peers().entrySet().stream()
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey, peer -> peer.getValue().values().iterator().next())));
  }

  /** Asks what can be asked without data: a store that is not there is better known now. */
  private static void reach(ObjectManager objects, Topology topology, ManagerConfig manager)
      throws ServerException {
    int[] stores =
        manager.links().stream()
            .flatMap(link -> link.imports().stream())
            .mapToInt(part -> topology.stores().get(part.store()))
            .distinct()
            .toArray();
    if (objects.answer(new Request.InDoubt(stores), REACH_MILLIS) instanceof Reply.Failed failed) {
      throw new ServerException(
          Exit.INTERNAL, "managers." + manager.name() + ": " + failed.message(), null);
    }
  }

  @Override
  public Map<String, String> endpoints() {
    return Map.of(protocol, server.endpoints().get(adapter.word()));
  }

  @Override
  public void close() {
    server.close();
    if (log != null) {
      log.close();
    }
  }
}
