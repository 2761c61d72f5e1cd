package org.modelstress.postgresql;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.modelstress.databases.Database;
import org.modelstress.databases.DatabaseException;
import org.modelstress.databases.DatabaseNode;
import org.modelstress.databases.DatabaseServer;
import org.modelstress.databases.PackedDatabases;
import org.modelstress.databases.Tuning;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.SealedFolder;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ServerMain;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelSource;

/** The tool under test: a PostgreSQL whose tables are a model, for clients that only read. */
public final class PostgresqlServer implements ToolServer {
  private static final int VERSION = 1;
  private static final String NAME = "model";
  private static final String PROTOCOL = "tcp";
  private static final String BUFFER = "buffer_mib";
  private static final int MOST_MIB = 1 << 20;
  private static final long END_SECONDS = 600;

  /** Classes of states that say that tables cannot hold a model. */
  private static final Set<String> UNFIT = Set.of("22", "42", "54");

  public static void main(String[] args) {
    ServerMain.run(args, new PostgresqlServer());
  }

  @Override
  public void load(ServerConfig config, Progress progress) throws ServerException {
    try {
      ModelSource source = ModelSource.read(config.requiredModel());
      ElementIndex elements = new ElementIndex(source.roots());
      Database database = database(config, false); // a load that is interrupted begins anew
      new PackedDatabases(config.requiredStore(), VERSION, database)
          .<IOException>load(
              List.of(NAME),
              "model " + source.sha256(),
              elements.size(),
              folder -> {
                IdsFile.writeIndices(folder.resolveSibling(SealedFolder.IDS), elements.size());
                fill(database, folder.resolve(NAME), source, elements, progress);
              });
    } catch (ModelException e) {
      throw new ServerException(Exit.MODEL, e.getMessage(), e);
    } catch (SQLException e) {
      boolean unfit = e.getSQLState() != null && UNFIT.contains(e.getSQLState().substring(0, 2));
      throw new ServerException(
          unfit ? Exit.MODEL : Exit.INTERNAL, "tables cannot be filled: " + oneLine(e), e);
    } catch (DatabaseException | IOException e) {
      throw new ServerException(
          Exit.INTERNAL, "cannot write store " + config.store() + ": " + e.getMessage(), e);
    }
  }

  private static void fill(
      Database database,
      Path data,
      ModelSource source,
      ElementIndex elements,
      ToolServer.Progress progress)
      throws DatabaseException, SQLException {
    database.create(data, NAME);
    DatabaseServer server = database.start(data, "127.0.0.1", 0, NAME);
    try (Connection connection = DriverManager.getConnection(server.jdbc())) {
      RelationalModel.load(connection, source, elements, progress);
    } finally {
      server.endWithin(END_SECONDS);
    }
  }

  @Override
  public Running serve(ServerConfig config) throws ServerException {
    if (!config.ports().keySet().equals(Set.of(PROTOCOL))) {
      throw wrong("ports: only " + PROTOCOL + " is served here");
    }
    Path store = config.requiredStore();
    Database database = database(config, true);
    return DatabaseNode.start(
        config,
        PROTOCOL,
        () -> {
          DatabaseNode.Started own =
              DatabaseNode.onOwn(
                  config,
                  database,
                  new PackedDatabases(store, VERSION, database),
                  NAME,
                  config.ports().get(PROTOCOL),
                  jdbc -> {});
          String address = database.readerAddress(config.work().resolve("data"), own.server());
          return new DatabaseNode.Started(new ForReaders(own.server(), address), own.held());
        });
  }

  /** A server whose address is told to clients that may not change anything. */
  private record ForReaders(DatabaseServer server, String address) implements DatabaseServer {
    @Override
    public void close() {
      server.close();
    }
  }

  private static Database database(ServerConfig config, boolean flushing) throws ServerException {
    Object mib = config.options().getOrDefault(BUFFER, Tuning.DEFAULT.bufferMib());
    if (!(mib instanceof Integer number) || number < 1 || number > MOST_MIB) {
      throw wrong("options." + BUFFER + ": is " + mib + "; write MiB from 1 to " + MOST_MIB);
    }
    boolean known = String.valueOf(config.backend()).startsWith("postgresql");
    Database database = known ? Database.of(config.backend(), new Tuning(flushing, number)) : null;
    if (database == null) {
      throw wrong("backend: is " + config.backend() + "; write postgresql or postgresql-external");
    }
    return database;
  }

  private static ServerException wrong(String what) {
    return new ServerException(Exit.CONFIG, what, null);
  }

  /** A message of the server, which has the place of a mistake in a line of its own. */
  static String oneLine(Exception e) {
    return String.valueOf(e.getMessage()).strip().replaceAll("\\s+", " ");
  }
}
