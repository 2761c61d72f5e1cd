package org.modelstress.cdo;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.h2.api.ErrorCode;
import org.h2.jdbcx.JdbcDataSource;

/**
 * A store's H2 database. A store is loaded by H2's administrator and served by a user who has the
 * tables and nothing else: no file, no Java method and no new user is within its reach.
 */
final class StoreDatabase {
  private static final String SERVING = "SERVING";

  private final JdbcDataSource administrator;
  private final JdbcDataSource source;

  /** Keeps the database open with the settings that only an administrator may make; or null. */
  private final Connection open;

  private StoreDatabase(JdbcDataSource administrator, JdbcDataSource source, Connection open) {
    this.administrator = administrator;
    this.source = source;
    this.open = open;
  }

  /** The database in this folder, which need not be there yet, to be filled. */
  static StoreDatabase toLoad(Path folder, ServerOptions options) {
    JdbcDataSource administrator = dataSource(folder, settings(options));
    return new StoreDatabase(administrator, administrator, null);
  }

  /**
   * The database in this folder, to be served.
   *
   * @throws IllegalStateException if it cannot be opened
   */
  static StoreDatabase toServe(Path folder, ServerOptions options) {
    JdbcDataSource administrator = dataSource(folder, settings(options));
    try {
      Connection open = administrator.getConnection();
      try (Statement statement = open.createStatement()) {
        statement.execute("CREATE USER IF NOT EXISTS " + SERVING + " PASSWORD ''");
        statement.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON SCHEMA PUBLIC TO " + SERVING);
      }
      JdbcDataSource serving = dataSource(folder, "");
      serving.setUser(SERVING);
      serving.setPassword("");
      return new StoreDatabase(administrator, serving, open);
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private static String settings(ServerOptions options) {
    // H2's own shutdown hook would close the database before CDO does
    String settings =
        ";DB_CLOSE_ON_EXIT=FALSE"
            // or H2 answers a repeated statement from its last result
            + ";OPTIMIZE_REUSE_RESULTS=FALSE";
    return options.h2CacheKb() > 0 ? settings + ";CACHE_SIZE=" + options.h2CacheKb() : settings;
  }

  private static JdbcDataSource dataSource(Path folder, String settings) {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:" + folder.toAbsolutePath().resolve(StoreFolder.DATABASE) + settings);
    return source;
  }

  /** Connections for CDO. */
  JdbcDataSource source() {
    return source;
  }

  /** Shuts the database down with this statement. */
  void shutdown(String command) {
    try (Connection connection = open == null ? administrator.getConnection() : open;
        Statement statement = connection.createStatement()) {
      statement.execute(command);
    } catch (SQLException e) {
      // closing the connection after a shutdown complains that the database is closed, as it should
      if (e.getErrorCode() != ErrorCode.DATABASE_IS_CLOSED) {
        System.err.println("H2 did not shut down cleanly: " + e.getMessage());
      }
    }
  }
}
