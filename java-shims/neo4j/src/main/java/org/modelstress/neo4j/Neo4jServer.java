package org.modelstress.neo4j;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.Ports;
import org.modelstress.harness.server.SealedFolder;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ServerMain;
import org.modelstress.harness.server.Stores;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelSource;
import org.neo4j.configuration.Config;
import org.neo4j.configuration.connectors.ConnectorPortRegister;
import org.neo4j.configuration.connectors.ConnectorType;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.graphdb.facade.DatabaseManagementServiceFactory;
import org.neo4j.graphdb.facade.GraphDatabaseDependencies;
import org.neo4j.kernel.impl.factory.DbmsInfo;
import org.neo4j.kernel.internal.GraphDatabaseAPI;
import org.neo4j.kernel.internal.Version;

/** The server side: Neo4j's Community Edition, as its own start program puts it together. */
public final class Neo4jServer implements ToolServer {
  private static final int VERSION = 1;
  private static final String DATABASE = "neo4j";
  private static final String GRAPH = "graph";

  /** The protocol {@code tcp} is Bolt. */
  private static final Map<String, ConnectorType> CONNECTORS =
      Map.of("tcp", ConnectorType.BOLT, "http", ConnectorType.HTTP);

  public static void main(String[] args) {
    ServerMain.run(args, new Neo4jServer());
  }

  private static SealedFolder folder(ServerConfig config) throws ServerException {
    return new SealedFolder(
        config.requiredStore(), VERSION, Map.of(DATABASE, Version.getNeo4jVersion()));
  }

  @Override
  public void load(ServerConfig config, Progress progress) throws ServerException {
    try {
      ModelSource model = ModelSource.read(config.requiredModel());
      Path loading = folder(config).beginLoad();
      DatabaseManagementService server = start(loading.resolve(GRAPH), config, Map.of());
      int elements = new GraphLoader(server.database(DATABASE), model).load(progress);
      server.shutdown();
      Stores.delete(loading.resolve(GRAPH).resolve("logs"));
      IdsFile.writeIndices(loading.resolve(SealedFolder.IDS), elements);
      folder(config).endLoad(model.sha256(), elements, Map.of());
    } catch (ModelException e) {
      throw new ServerException(Exit.MODEL, e.getMessage(), e);
    } catch (IOException e) {
      throw new ServerException(Exit.INTERNAL, "cannot write " + config.store() + ": " + e, e);
    }
  }

  @Override
  public Running serve(ServerConfig config) throws ServerException {
    if (!CONNECTORS.keySet().containsAll(config.ports().keySet())) {
      throw new ServerException(Exit.CONFIG, "ports: only tcp (Bolt) and http are served", null);
    }
    Path copy = config.work().resolve("store");
    try {
      folder(config).copyTo(copy, config.resume());
    } catch (IOException e) {
      throw new ServerException(Exit.INTERNAL, "cannot copy " + config.store() + ": " + e, e);
    }
    DatabaseManagementService server = start(copy.resolve(GRAPH), config, config.ports());
    ConnectorPortRegister ports =
        ((GraphDatabaseAPI) server.database("system"))
            .getDependencyResolver()
            .resolveDependency(ConnectorPortRegister.class);
    Map<String, String> endpoints = new TreeMap<>();
    for (String protocol : config.ports().keySet()) {
      int port = ports.getLocalAddress(CONNECTORS.get(protocol)).getPort();
      endpoints.put(protocol, protocol + "://" + config.bind() + ":" + port);
    }
    return new Served(endpoints, server);
  }

  private record Served(Map<String, String> endpoints, DatabaseManagementService server)
      implements Running {
    @Override
    public void close() {
      server.shutdown();
    }
  }

  /** Starts Neo4j; without ports it is written, with ports it only reads. */
  private static DatabaseManagementService start(
      Path home, ServerConfig config, Map<String, Integer> ports) throws ServerException {
    Properties settings = new Properties();
    try (InputStream file = Neo4jServer.class.getResourceAsStream("neo4j.conf")) {
      settings.load(file);
      config.options().forEach((name, value) -> settings.setProperty(name, String.valueOf(value)));
      settings.setProperty("server.directories.neo4j_home", home.toAbsolutePath().toString());
      settings.setProperty(
          "server.databases.default_to_read_only", String.valueOf(!ports.isEmpty()));
      ports.forEach(
          (protocol, port) -> {
            String connector = "server." + CONNECTORS.get(protocol).name().toLowerCase(Locale.ROOT);
            settings.setProperty(connector + ".enabled", "true");
            settings.setProperty(connector + ".listen_address", config.bind() + ":" + port);
          });
      Map<String, String> raw = new TreeMap<>();
      settings.stringPropertyNames().forEach(name -> raw.put(name, settings.getProperty(name)));
      DatabaseManagementService server =
          new DatabaseManagementServiceFactory(DbmsInfo.COMMUNITY, OwnEdition::new)
              .build(
                  Config.newBuilder().setRaw(raw).build(),
                  false,
                  GraphDatabaseDependencies.newDependencies());
      server.database(DATABASE).beginTx().close(); // fails if it could not be opened
      return server;
    } catch (IOException | IllegalArgumentException e) {
      throw new ServerException(Exit.CONFIG, "options of Neo4j: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      throw Ports.isBusy(e)
          ? Ports.busy(config.bind(), ports.values().iterator().next(), e)
          : new ServerException(Exit.INTERNAL, "Neo4j does not start: " + e, e);
    }
  }
}
