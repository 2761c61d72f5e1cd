package org.modelstress.topology.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.modelstress.databases.Database;
import org.modelstress.databases.DatabaseException;
import org.modelstress.databases.DatabaseServer;
import org.modelstress.harness.server.SealedFolder;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.jdbc.SchemaCreator;

/** A node that is a store: a database server on a private copy of what was loaded. */
final class StoreNode implements ToolServer.Running {
  private final Database database;
  private final Path data;
  private final DatabaseServer server;
  private final String protocol;

  private StoreNode(Database database, Path data, DatabaseServer server, String protocol) {
    this.database = database;
    this.data = data;
    this.server = server;
    this.protocol = protocol;
  }

  static StoreNode start(ServerConfig config, Topology topology, String protocol, int port)
      throws ServerException {
    if (!topology.stores().containsKey(config.node())) {
      throw TopologyServer.wrong(
          "node: the topology has no store " + config.node() + "; it has " + topology.stores());
    }
    Database database = LoadedStores.database(config);
    Path data = config.work().resolve("data");
    try {
      boolean there = config.resume() && Files.isDirectory(data);
      prepare(config, database, data, there);
      DatabaseServer server = database.start(data, config.bind(), port, config.node());
      if (config.store() == null) {
        SchemaCreator.create(server.jdbc(), topology, config.node());
      }
      return new StoreNode(database, data, server, protocol);
    } catch (DatabaseException e) {
      throw new ServerException(e.portIsBusy() ? Exit.PORT : Exit.INTERNAL, e.getMessage(), e);
    } catch (SQLException e) {
      throw new ServerException(Exit.INTERNAL, "tables cannot be created: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new ServerException(
          Exit.INTERNAL, "store " + config.store() + " cannot be copied: " + e, e);
    }
  }

  /** Puts programs and data where the server is started. */
  private static void prepare(ServerConfig config, Database database, Path data, boolean there)
      throws ServerException, DatabaseException, IOException {
    if (config.store() == null) {
      database.prepare(config.work(), null);
      if (!there) {
        database.create(data, config.node());
      }
      return;
    }
    SealedFolder folder = LoadedStores.folder(config.store(), database);
    Path programs = database.hasPrograms() ? folder.checked(LoadedStores.PROGRAMS) : null;
    database.prepare(config.work(), programs);
    if (!there) {
      database.unpack(folder.checked(LoadedStores.file(config.node())), data);
    }
  }

  @Override
  public Map<String, String> endpoints() {
    return Map.of(protocol, server.address());
  }

  @Override
  public void close() {
    server.close();
    try {
      database.discard(data);
    } catch (DatabaseException e) {
      System.err.println(e.getMessage());
    }
  }
}
