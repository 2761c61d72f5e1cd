package org.modelstress.metadata.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.modelstress.databases.Database;
import org.modelstress.databases.DatabaseException;
import org.modelstress.databases.DatabaseServer;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.metadata.store.ObjectStore;

/** A node that is a database server: on a private copy of what was loaded, or in its place. */
final class DatabaseNode implements ToolServer.Running {
  private static final String NAME = "metadata";

  private final Database database;
  private final Path data;
  private final DatabaseServer server;
  private final String protocol;
  private final AutoCloseable use;

  private DatabaseNode(
      Database database, Path data, DatabaseServer server, String protocol, AutoCloseable use) {
    this.database = database;
    this.data = data;
    this.server = server;
    this.protocol = protocol;
    this.use = use;
  }

  static DatabaseNode start(ServerConfig config, Settings settings, String protocol, int port)
      throws ServerException {
    Database database = settings.database(config);
    Path data = config.work().resolve("data");
    try {
      if (config.store() == null) {
        database.prepare(config.work(), null);
        boolean there = config.resume() && Files.isDirectory(data);
        if (!there) {
          database.create(data, NAME);
        }
        DatabaseServer server = database.start(data, config.bind(), port, NAME);
        ObjectStore.create(server.jdbc(), settings.layout(), settings.indexes());
        return new DatabaseNode(database, data, server, protocol, null);
      }
      LoadedStore store = new LoadedStore(config.store(), database);
      if (store.isInPlace()) {
        AutoCloseable use = store.use();
        database.prepare(config.work(), store.programs());
        DatabaseServer server = database.startReadOnly(store.data(), config.bind(), port, NAME);
        return new DatabaseNode(database, null, server, protocol, use);
      }
      database.prepare(config.work(), store.programs());
      if (!config.resume() || !Files.isDirectory(data)) {
        store.copyTo(data);
      }
      DatabaseServer server = database.start(data, config.bind(), port, NAME);
      return new DatabaseNode(database, data, server, protocol, null);
    } catch (DatabaseException e) {
      throw new ServerException(e.portIsBusy() ? Exit.PORT : Exit.INTERNAL, e.getMessage(), e);
    } catch (SQLException e) {
      throw new ServerException(Exit.INTERNAL, "tables cannot be made: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new ServerException(
          Exit.INTERNAL, "store " + config.store() + " cannot be copied: " + e, e);
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
      if (use != null) {
        use.close();
      }
      if (data != null) {
        database.discard(data);
      }
    } catch (Exception e) {
      System.err.println("the store cannot be given back: " + e.getMessage());
    }
  }
}
