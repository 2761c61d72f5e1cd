package org.modelstress.databases;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ToolServer;

/** A node of a tool that is a database server. */
public final class DatabaseNode implements ToolServer.Running {
  private final String protocol;
  private final DatabaseServer server;
  private final AutoCloseable held;

  private DatabaseNode(String protocol, DatabaseServer server, AutoCloseable held) {
    this.protocol = protocol;
    this.server = server;
    this.held = held;
  }

  /**
   * A server, and what to give back when it has ended.
   *
   * @param held null: nothing
   */
  public record Started(DatabaseServer server, AutoCloseable held) {}

  /** Starts a server. */
  @FunctionalInterface
  public interface Start {
    Started start() throws ServerException, DatabaseException, SQLException, IOException;
  }

  /** Makes tables in a database that was not loaded. */
  @FunctionalInterface
  public interface Tables {
    void create(String jdbc) throws SQLException;
  }

  /**
   * Starts a node however the tool does it.
   *
   * @param protocol under which its address is told
   * @throws ServerException with the exit code that tells why
   */
  public static DatabaseNode start(ServerConfig config, String protocol, Start start)
      throws ServerException {
    try {
      Started started = start.start();
      return new DatabaseNode(protocol, started.server(), started.held());
    } catch (DatabaseException e) {
      throw new ServerException(e.portIsBusy() ? Exit.PORT : Exit.INTERNAL, e.getMessage(), e);
    } catch (SQLException e) {
      throw new ServerException(Exit.INTERNAL, "tables cannot be created: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new ServerException(
          Exit.INTERNAL, "store " + config.store() + " cannot be copied: " + e, e);
    }
  }

  /**
   * Starts a server on a private database: a copy of a loaded one, or an empty one with tables.
   *
   * @param store null: there is none
   * @param name of the database
   */
  public static Started onOwn(
      ServerConfig config,
      Database database,
      PackedDatabases store,
      String name,
      int port,
      Tables tables)
      throws ServerException, DatabaseException, SQLException, IOException {
    Path data = config.work().resolve("data");
    boolean there = config.resume() && Files.isDirectory(data);
    if (store != null) {
      store.prepare(name, config.work(), data, there);
    } else {
      database.prepare(config.work(), null);
      if (!there) {
        database.create(data, name);
      }
    }
    DatabaseServer server = database.start(data, config.bind(), port, name);
    if (store == null) {
      tables.create(server.jdbc());
    }
    return new Started(server, () -> database.discard(data));
  }

  @Override
  public Map<String, String> endpoints() {
    return Map.of(protocol, server.address());
  }

  @Override
  public void close() {
    server.close();
    try {
      if (held != null) {
        held.close();
      }
    } catch (Exception e) {
      System.err.println(e.getMessage());
    }
  }
}
