package org.modelstress.neo4j;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.Ports;
import org.modelstress.harness.server.SealedFolder;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.Stores;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelSource;
import org.neo4j.configuration.Config;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.connectors.ConnectorPortRegister;
import org.neo4j.configuration.connectors.ConnectorType;
import org.neo4j.configuration.connectors.HttpConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.graphdb.facade.DatabaseManagementServiceFactory;
import org.neo4j.graphdb.facade.GraphDatabaseDependencies;
import org.neo4j.kernel.impl.factory.DbmsInfo;
import org.neo4j.kernel.internal.GraphDatabaseAPI;
import org.neo4j.kernel.internal.Version;

/** The server side: Neo4j's Community Edition, as its own start program puts it together. */
public final class Neo4jServer implements ToolServer {
  private static final int VERSION = 1;
  private static final long START_MILLIS = 30_000;
  private static final String DATABASE = "neo4j";
  private static final String GRAPH = "graph";

  /** The protocol {@code tcp} is Bolt. */
  private static final Map<String, ConnectorType> CONNECTORS =
      Map.of("tcp", ConnectorType.BOLT, "http", ConnectorType.HTTP);

  private static SealedFolder folder(ServerConfig config) throws ServerException {
    return new SealedFolder(
        config.requiredStore(), VERSION, Map.of(DATABASE, Version.getNeo4jVersion()));
  }

  @Override
  public void load(ServerConfig config, Progress progress) throws ServerException {
    ModelSource model;
    try {
      model = ModelSource.read(config.requiredModel());
    } catch (ModelException e) {
      throw new ServerException(Exit.MODEL, e.getMessage(), e);
    }
    SealedFolder folder = folder(config);
    try {
      Path loading = folder.beginLoad();
      int elements = write(loading.resolve(GRAPH), config, model, progress);
      try (IdsFile.Writer ids = IdsFile.ofLongs(loading.resolve(SealedFolder.IDS))) {
        for (long index = 0; index < elements; index++) {
          ids.put(index, index);
        }
      }
      folder.endLoad(model.sha256(), elements, Map.of());
    } catch (IOException e) {
      throw new ServerException(
          Exit.INTERNAL, "cannot write store " + config.store() + ": " + e, e);
    }
  }

  private static int write(Path home, ServerConfig config, ModelSource model, Progress progress)
      throws ServerException, IOException {
    DatabaseManagementService server = start(home, config, false);
    try {
      return new GraphLoader(server.database(DATABASE), model, progress).load();
    } finally {
      server.shutdown();
      Stores.delete(home.resolve("logs"));
    }
  }

  @Override
  public Running serve(ServerConfig config) throws ServerException {
    Path copy = config.work().toAbsolutePath().resolve("store");
    try {
      folder(config).copyTo(copy, config.resume());
    } catch (IOException e) {
      throw new ServerException(Exit.INTERNAL, "cannot copy store " + config.store(), e);
    }
    DatabaseManagementService server = start(copy.resolve(GRAPH), config, true);
    Map<String, String> endpoints = new TreeMap<>();
    for (String protocol : config.ports().keySet()) {
      int port = ports(server).getLocalAddress(CONNECTORS.get(protocol)).getPort();
      endpoints.put(protocol, protocol + "://" + config.bind() + ":" + port);
    }
    return new Running() {
      @Override
      public Map<String, String> endpoints() {
        return endpoints;
      }

      @Override
      public void close() {
        server.shutdown();
      }
    };
  }

  private static ConnectorPortRegister ports(DatabaseManagementService server) {
    GraphDatabaseAPI system = (GraphDatabaseAPI) server.database("system");
    return system.getDependencyResolver().resolveDependency(ConnectorPortRegister.class);
  }

  private static DatabaseManagementService start(Path home, ServerConfig config, boolean serves)
      throws ServerException {
    Config settings = settings(home, config, serves);
    DatabaseManagementService server;
    try {
      server =
          new DatabaseManagementServiceFactory(DbmsInfo.COMMUNITY, OwnEdition::new)
              .build(settings, false, GraphDatabaseDependencies.newDependencies());
    } catch (RuntimeException e) {
      Integer port = config.ports().values().stream().filter(each -> each != 0).findAny().orElse(0);
      throw Ports.isBusy(e)
          ? Ports.busy(config.bind(), port, e)
          : new ServerException(Exit.INTERNAL, "Neo4j does not start: " + e, e);
    }
    if (!server.database(DATABASE).isAvailable(START_MILLIS)) {
      server.shutdown();
      throw new ServerException(Exit.STORE, "Neo4j cannot open its store " + home, null);
    }
    return server;
  }

  /** Those of {@code neo4j.conf}, of the tool's options, and last those of the harness. */
  private static Config settings(Path home, ServerConfig config, boolean serves)
      throws ServerException {
    if (serves && !CONNECTORS.keySet().containsAll(config.ports().keySet())) {
      throw new ServerException(Exit.CONFIG, "ports: only tcp (Bolt) and http are served", null);
    }
    Map<String, String> raw = new TreeMap<>();
    try (InputStream file = Neo4jServer.class.getResourceAsStream("neo4j.conf")) {
      Properties own = new Properties();
      own.load(file);
      own.stringPropertyNames().forEach(name -> raw.put(name, own.getProperty(name)));
      config.options().forEach((name, value) -> raw.put(name, String.valueOf(value)));
      return Config.newBuilder()
          .setRaw(raw)
          .set(GraphDatabaseSettings.neo4j_home, home.toAbsolutePath())
          .set(GraphDatabaseSettings.strict_config_validation, true)
          .set(GraphDatabaseSettings.read_only_database_default, serves)
          .set(BoltConnector.enabled, serves && config.ports().containsKey("tcp"))
          .set(BoltConnector.listen_address, address(config, "tcp"))
          .set(HttpConnector.enabled, serves && config.ports().containsKey("http"))
          .set(HttpConnector.listen_address, address(config, "http"))
          .build();
    } catch (IOException | IllegalArgumentException e) {
      throw new ServerException(Exit.CONFIG, "options of the neo4j server: " + e.getMessage(), e);
    }
  }

  private static SocketAddress address(ServerConfig config, String protocol) {
    return new SocketAddress(config.bind(), config.ports().getOrDefault(protocol, 0));
  }
}
