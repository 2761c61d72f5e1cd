package org.modelstress.topology;

import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.modelstress.topology.config.ConfigException;
import org.modelstress.topology.config.Link;
import org.modelstress.topology.config.ManagerConfig;
import org.modelstress.topology.config.Part;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.config.TopologyFile;
import org.modelstress.topology.connection.jdbc.JdbcConnection;
import org.modelstress.topology.connection.jdbc.SchemaCreator;
import org.modelstress.topology.connection.jdbc.Store;
import org.modelstress.topology.datasets.Dataset;
import org.modelstress.topology.datasets.Loader;
import org.modelstress.topology.manager.Coordinator;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.server.GenericServer;
import org.modelstress.topology.server.Manager;
import org.modelstress.topology.xa.TransactionLog;
import org.modelstress.topology.xa.TwoPhaseCoordinator;

/** What is a process each in a topology of the study, all in this one: servers, clients, stores. */
public final class Processes implements AutoCloseable {
  private static final Path CONFIG = Path.of("../../config");
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final Topology topology;
  private final TransactionLog log;
  private final Map<String, Map<String, String>> addresses = new HashMap<>();
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  /**
   * Starts the servers.
   *
   * @param stores URLs for JDBC by the names of stores
   * @param log of all of them; null: no transaction writes to several stores
   */
  public Processes(Topology topology, Map<String, String> stores, TransactionLog log)
      throws Exception {
    this.topology = topology;
    this.log = log;
    stores.forEach((name, url) -> addresses.put(name, Map.of("jdbc", url)));
    for (ManagerConfig manager : topology.managers()) {
      start(manager);
    }
  }

  private void start(ManagerConfig config) throws Exception {
    if (config.isClient() || addresses.containsKey(config.name())) {
      return;
    }
    for (Link link : config.links()) {
      if (link.adapter() != Link.Adapter.JDBC) {
        start(topology.manager(link.peer()));
      }
    }
    EventLoopGroup threads = Manager.threads();
    ObjectManager manager = manager(config, config.firstId(), threads);
    GenericServer server =
        new GenericServer(topology, config, manager, threads, "127.0.0.1", Map.of());
    open.push(server);
    addresses.put(config.name(), server.endpoints());
  }

  private ObjectManager manager(ManagerConfig config, int id, EventLoopGroup threads)
      throws ConfigException {
    return Manager.of(
        topology,
        config,
        id,
        addresses,
        threads,
        connections ->
            log != null && TransactionLog.isNeeded(config)
                ? new TwoPhaseCoordinator(log, topology, connections)
                : Coordinator.none());
  }

  /** A client that is like a manager of the configuration. */
  public ObjectManager client(ManagerConfig config, int number) throws ConfigException {
    EventLoopGroup threads = Manager.threads();
    open.push(() -> Manager.end(threads));
    ObjectManager client = manager(config, config.firstId() + number, threads);
    open.push(client);
    return client;
  }

  @Override
  public void close() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** A distribution of the study. */
  public static Topology distribution(String name) throws ConfigException, IOException {
    return TopologyFile.parse(name, text(name));
  }

  private static String text(String distribution) throws IOException {
    StringBuilder text = new StringBuilder();
    for (String file : new String[] {"types", "customers-by-number", distribution}) {
      text.append(Files.readString(CONFIG.resolve("distributions").resolve(file + ".yaml")));
    }
    return text.toString();
  }

  /** A topology of the study, by NIO. */
  public static Topology topology(String distribution, String name)
      throws ConfigException, IOException {
    return TopologyFile.parse(name, text(distribution, name).replace("${protocol}", "nio"));
  }

  /** The text of a topology of the study, for any protocol. */
  public static String text(String distribution, String name) throws IOException {
    return text(distribution)
        + Files.readString(CONFIG.resolve("topologies").resolve(name + ".yaml"));
  }

  /** Where a server listens. */
  public String endpoint(String server, String adapter) {
    return addresses.get(server).get(adapter);
  }

  /** URLs of the stores that a distribution has, of some. */
  public static Map<String, String> of(Topology distribution, Map<String, String> urls) {
    return distribution.stores().keySet().stream().collect(Collectors.toMap(s -> s, urls::get));
  }

  /**
   * A database of H2 in memory, which is there as long as the connection.
   *
   * @param keeping gets a connection by the URL
   */
  public static String store(String name, Deque<AutoCloseable> keeping) throws Exception {
    String url = "jdbc:h2:mem:" + name + "-" + NUMBER.getAndIncrement() + ";LOCK_TIMEOUT=3000";
    Connection connection = DriverManager.getConnection(url);
    keeping.push(connection);
    return url;
  }

  /** Distributes a dataset among stores. */
  public static void load(Topology distribution, Map<String, String> urls, Dataset dataset)
      throws Exception {
    Map<String, org.modelstress.topology.connection.Connection> stores = new LinkedHashMap<>();
    try {
      for (Map.Entry<String, String> url : urls.entrySet()) {
        SchemaCreator.create(url.getValue(), distribution, url.getKey());
        Set<Part> parts =
            distribution.domains().stream()
                .filter(domain -> domain.tree().stores().contains(url.getKey()))
                .map(domain -> new Part(domain.name(), url.getKey()))
                .collect(Collectors.toSet());
        Store store = new Store(url.getKey(), url.getValue(), 2);
        stores.put(url.getKey(), new JdbcConnection(url.getKey(), parts, distribution, store));
      }
      new Loader(distribution, stores, done -> {}).load(dataset);
    } finally {
      stores.values().forEach(org.modelstress.topology.connection.Connection::close);
    }
  }
}
