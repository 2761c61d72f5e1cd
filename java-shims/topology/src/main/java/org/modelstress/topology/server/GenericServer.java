package org.modelstress.topology.server;

import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.modelstress.topology.config.Link;
import org.modelstress.topology.config.ManagerConfig;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.Listener;
import org.modelstress.topology.connection.grpc.GrpcListener;
import org.modelstress.topology.connection.nio.NioListener;
import org.modelstress.topology.connection.rmi.RmiListener;
import org.modelstress.topology.connection.serialized.SerializedListener;
import org.modelstress.topology.manager.ObjectManager;

/**
 * A server process: an object manager, a queue of its clients' requests, and listeners. It has
 * nothing of any application (Free Data Objects, 7.1.2, step 3).
 */
public final class GenericServer implements AutoCloseable {
  private static final long TIMEOUT_MILLIS = 60_000;

  private final ObjectManager manager;
  private final RequestQueue queue;
  private final EventLoopGroup threads;
  private final Map<Link.Adapter, Listener> listeners = new HashMap<>();

  /**
   * Starts a server.
   *
   * @param topology of the application
   * @param config of this server
   * @param manager that answers; closed with the server
   * @param threads for sockets; ended with the server
   * @param bind address of all listeners
   * @param ports by adapter; 0: any that is free
   * @throws IOException where an address cannot be had; then nothing stays open
   */
  public GenericServer(
      Topology topology,
      ManagerConfig config,
      ObjectManager manager,
      EventLoopGroup threads,
      String bind,
      Map<Link.Adapter, Integer> ports)
      throws IOException {
    this.manager = manager;
    this.threads = threads;
    this.queue = new RequestQueue(manager, config.workers(), config.queue(), TIMEOUT_MILLIS);
    try {
      for (Link.Adapter adapter : config.listeners()) {
        InetSocketAddress address = new InetSocketAddress(bind, ports.getOrDefault(adapter, 0));
        listeners.put(adapter, listener(adapter, address, topology));
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private Listener listener(Link.Adapter adapter, InetSocketAddress address, Topology topology)
      throws IOException {
    if (adapter == Link.Adapter.NIO) {
      return new NioListener(address, queue, topology.schema(), threads);
    }
    if (adapter == Link.Adapter.SERIALIZED) {
      return new SerializedListener(address, queue);
    }
    if (adapter == Link.Adapter.GRPC) {
      return new GrpcListener(address, queue, topology.schema());
    }
    if (adapter == Link.Adapter.RMI) {
      return new RmiListener(address, manager);
    }
    throw new IllegalArgumentException("no object manager listens to " + adapter.word());
  }

  /** Where clients reach it: {@code nio → nio://127.0.0.1:4711}. */
  public Map<String, String> endpoints() {
    Map<String, String> endpoints = new HashMap<>();
    listeners.forEach(
        (adapter, listener) -> {
          InetSocketAddress address = listener.address();
          String host = address.getAddress().getHostAddress();
          endpoints.put(adapter.word(), adapter.word() + "://" + host + ":" + address.getPort());
        });
    return endpoints;
  }

  @Override
  public void close() {
    List<Listener> open = new ArrayList<>(listeners.values());
    open.forEach(Listener::close);
    queue.close();
    manager.close();
    Manager.end(threads);
  }
}
