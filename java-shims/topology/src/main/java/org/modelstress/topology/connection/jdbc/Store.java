package org.modelstress.topology.connection.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.XADataSource;
import org.postgresql.xa.PGXADataSource;

/** JDBC connections to a store, some for transactions of the store alone and some for branches. */
public final class Store implements AutoCloseable {
  private static final long CONNECT_MILLIS = 5_000;
  private static final int LOCK_MILLIS = 10_000;

  private final HikariDataSource pool;
  private final Branches branches;

  /**
   * Connections to a store.
   *
   * @param name of the store, for messages
   * @param url of PostgreSQL or H2, with user and password where they are needed
   * @param size connections at most, of each kind
   */
  public Store(String name, String url, int size) {
    if (!isPostgres(url) && !url.startsWith("jdbc:h2:")) {
      throw new IllegalArgumentException(
          "a store is PostgreSQL or H2, jdbc:postgresql: or jdbc:h2:, not " + url.split("\\?")[0]);
    }
    HikariConfig config = new HikariConfig();
    config.setPoolName(name);
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(size);
    config.setConnectionTimeout(CONNECT_MILLIS);
    config.setInitializationFailTimeout(-1); // whoever asks first is told
    if (isPostgres(url)) {
      config.setConnectionInitSql("SET lock_timeout = " + LOCK_MILLIS);
    }
    pool = new HikariDataSource(config);
    branches = isPostgres(url) ? new Branches(name, source(url), size) : null;
  }

  static boolean isPostgres(String url) {
    return url.startsWith("jdbc:postgresql:");
  }

  private static XADataSource source(String url) {
    PGXADataSource source = new PGXADataSource();
    source.setUrl(url);
    source.setOptions("-c lock_timeout=" + LOCK_MILLIS);
    return source;
  }

  Connection open() throws SQLException {
    return pool.getConnection();
  }

  /** Branches of distributed transactions; null where the store takes no part in these. */
  Branches branches() {
    return branches;
  }

  @Override
  public void close() {
    if (branches != null) {
      branches.close();
    }
    pool.close();
  }
}
