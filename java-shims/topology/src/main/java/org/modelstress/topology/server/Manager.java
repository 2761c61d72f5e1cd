package org.modelstress.topology.server;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.modelstress.topology.config.ConfigException;
import org.modelstress.topology.config.Link;
import org.modelstress.topology.config.ManagerConfig;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.connection.grpc.GrpcConnection;
import org.modelstress.topology.connection.jdbc.JdbcConnection;
import org.modelstress.topology.connection.jdbc.Store;
import org.modelstress.topology.connection.nio.NioConnection;
import org.modelstress.topology.connection.serialized.SerializedConnection;
import org.modelstress.topology.manager.Coordinator;
import org.modelstress.topology.manager.ObjectManager;

/** Makes object managers of their configurations, with the connections that these name. */
public final class Manager {
  private static final int THREADS = 2;

  private Manager() {}

  /** The threads of a process for all its sockets. */
  public static EventLoopGroup threads() {
    return new MultiThreadIoEventLoopGroup(THREADS, NioIoHandler.newFactory());
  }

  /** Ends the threads of a process. */
  public static void end(EventLoopGroup threads) {
    threads.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }

  /**
   * An object manager.
   *
   * @param all the topology, of which the manager may know a part only
   * @param config of the manager
   * @param id one of its numbers
   * @param addresses of servers and stores, by name and adapter: {@code nio://host:port}, or the
   *     URL of a store
   * @param threads for sockets
   * @param coordinator of transactions on several of these connections
   * @throws ConfigException where an address is missing or not understood
   */
  public static ObjectManager of(
      Topology all,
      ManagerConfig config,
      int id,
      Map<String, Map<String, String>> addresses,
      EventLoopGroup threads,
      Function<List<Connection>, Coordinator> coordinator)
      throws ConfigException {
    Topology topology = all.seenBy(config.application());
    List<Connection> connections = new ArrayList<>();
    for (Link link : config.links()) {
      String address = addresses.getOrDefault(link.peer(), Map.of()).get(link.adapter().word());
      if (address == null) {
        throw new ConfigException(
            "managers."
                + config.name()
                + " speaks "
                + link.adapter().word()
                + " to "
                + link.peer()
                + ", and there is no such address of it");
      }
      connections.add(connection(topology, config, link, address, threads));
    }
    return new ObjectManager(
        topology, id, config.cached(), connections, coordinator.apply(connections));
  }

  private static Connection connection(
      Topology topology, ManagerConfig config, Link link, String address, EventLoopGroup threads)
      throws ConfigException {
    return switch (link.adapter()) {
      case JDBC ->
          new JdbcConnection(
              link.peer(),
              link.imports(),
              topology,
              new Store(link.peer(), address, config.workers()));
      case NIO ->
          new NioConnection(
              link.peer(), socket(address, "nio"), link.imports(), topology.schema(), threads);
      case GRPC ->
          new GrpcConnection(
              link.peer(), socket(address, "grpc"), link.imports(), topology.schema());
      case SERIALIZED ->
          new SerializedConnection(link.peer(), socket(address, "serialized"), link.imports());
      default -> throw new ConfigException(link.adapter().word() + " leads to no object manager");
    };
  }

  /** The host and port of an address such as {@code nio://127.0.0.1:4711}. */
  public static InetSocketAddress socket(String address, String scheme) throws ConfigException {
    try {
      java.net.URI uri = new java.net.URI(address);
      if (scheme.equals(uri.getScheme()) && uri.getHost() != null && uri.getPort() > 0) {
        return new InetSocketAddress(uri.getHost(), uri.getPort());
      }
    } catch (java.net.URISyntaxException e) {
      // said below
    }
    throw new ConfigException(
        "'" + address + "' is no address of the form " + scheme + "://host:port");
  }
}
