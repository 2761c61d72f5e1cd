package org.modelstress.topology.tool;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.modelstress.databases.Database;
import org.modelstress.databases.DatabaseException;
import org.modelstress.databases.DatabaseServer;
import org.modelstress.databases.PackedDatabases;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.topology.config.Part;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.connection.jdbc.JdbcConnection;
import org.modelstress.topology.connection.jdbc.SchemaCreator;
import org.modelstress.topology.connection.jdbc.Store;
import org.modelstress.topology.datasets.Dataset;
import org.modelstress.topology.datasets.DatasetException;
import org.modelstress.topology.datasets.Loader;

/** A loaded store of the harness: a file for each store of the topology. */
final class LoadedStores {
  private static final int VERSION = 1;
  private static final int CONNECTIONS = 2;

  private static final List<String> BACKENDS = List.of("postgresql", "h2", "postgresql-external");

  private LoadedStores() {}

  static PackedDatabases of(Path store, Database database) throws DatabaseException {
    return new PackedDatabases(store, VERSION, database);
  }

  /**
   * Makes all stores of a topology and distributes a dataset among them; where there are several
   * applications, each has all of it in its own stores.
   */
  static void load(ServerConfig config, Topology topology, ToolServer.Progress progress)
      throws ServerException, DatasetException, DatabaseException, SQLException, IOException {
    Dataset dataset = Dataset.of(config.dataset().name(), config.dataset().parameters());
    Database database = database(config);
    Set<String> names = used(topology);
    String loaded = config.dataset().name() + " " + config.dataset().parameters();
    long objects = dataset.size() * applications(topology).size();
    of(config.requiredStore(), database)
        .<DatasetException>load(
            names,
            loaded,
            objects,
            folder -> fill(topology, names, database, folder, dataset, progress));
  }

  static Database database(ServerConfig config) throws ServerException {
    Database database = BACKENDS.contains(config.backend()) ? Database.of(config.backend()) : null;
    if (database == null) {
      throw TopologyServer.wrong(
          "backend: is " + config.backend() + "; a store is one of " + BACKENDS);
    }
    return database;
  }

  private static Set<String> used(Topology topology) {
    return topology.domains().stream()
        .flatMap(domain -> domain.tree().stores().stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static void fill(
      Topology topology,
      Set<String> names,
      Database database,
      Path temporary,
      Dataset dataset,
      ToolServer.Progress progress)
      throws DatabaseException, DatasetException, SQLException {
    Map<String, DatabaseServer> servers = new HashMap<>();
    Map<String, Connection> connections = new HashMap<>();
    try {
      for (String name : names) {
        Path data = temporary.resolve(name);
        database.create(data, name);
        DatabaseServer server = database.start(data, "127.0.0.1", 0, name);
        servers.put(name, server);
        SchemaCreator.create(server.jdbc(), topology, name);
        Store store = new Store(name, server.jdbc(), CONNECTIONS);
        connections.put(name, new JdbcConnection(name, parts(topology, name), topology, store));
      }
      List<String> applications = applications(topology);
      long all = dataset.size() * applications.size();
      for (int i = 0; i < applications.size(); i++) {
        long before = i * dataset.size();
        Topology seen = topology.seenBy(applications.get(i));
        new Loader(seen, connections, done -> progress.at(before + done, all)).load(dataset);
      }
      for (DatabaseServer server : servers.values()) {
        SchemaCreator.analyze(server.jdbc()); // else plans change once the store has seen its data
      }
    } finally {
      connections.values().forEach(Connection::close);
      servers.values().forEach(DatabaseServer::close);
    }
  }

  /** Names of the applications; one that is null where there is but one. */
  private static List<String> applications(Topology topology) {
    return topology.applications().isEmpty()
        ? Collections.singletonList(null)
        : List.copyOf(topology.applications().keySet());
  }

  private static Set<Part> parts(Topology topology, String store) {
    return topology.domains().stream()
        .filter(domain -> domain.tree().stores().contains(store))
        .map(domain -> new Part(domain.name(), store))
        .collect(Collectors.toSet());
  }
}
