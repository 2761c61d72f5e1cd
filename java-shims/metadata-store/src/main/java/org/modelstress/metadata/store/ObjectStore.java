package org.modelstress.metadata.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataException.Reason;

/** A database with objects: connections to it, one for each transaction at a time. */
public final class ObjectStore implements AutoCloseable {
  private static final long CONNECT_MILLIS = 30_000;

  /** A statement of a client that takes longer is given up. */
  private static final int STATEMENT_SECONDS = 120;

  /** Ten million objects are read to their end. */
  private static final int ANALYZE_SECONDS = 3_600;

  private final Dialect dialect;
  private final Layout layout;
  private final HikariDataSource readers;
  private final HikariDataSource writers;

  /** Where a database has one writer, its transactions wait here and not in the database. */
  private final ReentrantLock writing = new ReentrantLock(true);

  /** Does something with the store. */
  @FunctionalInterface
  public interface Work<T> {
    T with(StoreConnection connection) throws SQLException, MetadataException;
  }

  private ObjectStore(Dialect dialect, Layout layout, String url, int connections) {
    this.dialect = dialect;
    this.layout = layout;
    this.readers = pool("readers", dialect.options(url, STATEMENT_SECONDS), connections, true);
    this.writers =
        pool(
            "writers",
            dialect.options(url, STATEMENT_SECONDS),
            dialect.writesAlone() ? 1 : connections,
            false);
  }

  private static HikariDataSource pool(String name, String url, int size, boolean autoCommit) {
    HikariConfig config = new HikariConfig();
    config.setPoolName(name);
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(0);
    config.setAutoCommit(autoCommit);
    config.setConnectionTimeout(CONNECT_MILLIS);
    config.setInitializationFailTimeout(-1); // whoever asks first is told
    return new HikariDataSource(config);
  }

  /**
   * A store that is there.
   *
   * @param url for JDBC
   * @param layout {@code rows} or {@code document}
   * @param connections at most, of readers and of writers
   * @throws IllegalArgumentException where database or layout are not known
   */
  public static ObjectStore of(String url, String layout, int connections) {
    return new ObjectStore(Dialect.of(url), layout(layout), url, connections);
  }

  private static Layout layout(String word) {
    Layout layout = Layout.of(word);
    if (layout == null) {
      throw new IllegalArgumentException("layout: is " + word + "; it is rows or document");
    }
    return layout;
  }

  /**
   * Makes the tables, if they are not there.
   *
   * @param indexes whether there are indexes beside the primary keys
   */
  public static void create(String url, String layout, boolean indexes) throws SQLException {
    Dialect dialect = Dialect.of(url);
    try (Connection connection =
        DriverManager.getConnection(dialect.options(url, STATEMENT_SECONDS))) {
      if (!Schema.isThere(connection)) {
        Schema.create(connection, dialect, layout(layout), indexes);
      }
    }
  }

  /**
   * Lets the database know the objects that were loaded, as it would by and by: plans of queries
   * depend on it. Tables that begin empty are left alone: PostgreSQL would plan for them as if they
   * stayed so, and keep these plans while they grow.
   */
  public static void analyze(String url, String layout) throws SQLException {
    Dialect dialect = Dialect.of(url);
    List<String> tables = layout(layout).tables().stream().map(Table::name).toList();
    try (Connection connection =
            DriverManager.getConnection(dialect.options(url, ANALYZE_SECONDS));
        Statement statement = connection.createStatement()) {
      statement.execute(dialect.analyze(tables));
    }
  }

  /** Reads, each statement by itself. */
  public <T> T read(Work<T> work) throws MetadataException {
    try (Connection connection = readers.getConnection()) {
      return work.with(new StoreConnection(connection, dialect, layout));
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /**
   * Does something as one transaction, which is committed at the end.
   *
   * @throws MetadataException of the work, CONFLICT where somebody else was faster, else FAILED
   */
  public <T> T write(Work<T> work) throws MetadataException {
    if (!dialect.writesAlone()) {
      return transaction(work);
    }
    writing.lock();
    try {
      return transaction(work);
    } finally {
      writing.unlock();
    }
  }

  private <T> T transaction(Work<T> work) throws MetadataException {
    try (Connection connection = writers.getConnection()) {
      boolean committed = false;
      try {
        T result = work.with(new StoreConnection(connection, dialect, layout));
        connection.commit();
        committed = true;
        return result;
      } finally {
        if (!committed) {
          connection.rollback();
        }
      }
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private MetadataException failed(SQLException e) {
    if (dialect.isDuplicate(e) || dialect.isDeadlock(e)) {
      return new MetadataException(Reason.CONFLICT, "somebody else was faster", e);
    }
    if (e instanceof SQLTransientConnectionException) {
      return new MetadataException(
          Reason.FAILED, "the database cannot be reached: " + reason(e), e);
    }
    return new MetadataException(Reason.FAILED, "the database failed: " + reason(e), e);
  }

  private static String reason(SQLException e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    return message.lines().findFirst().orElse(cause.toString());
  }

  @Override
  public void close() {
    readers.close();
    writers.close();
  }
}
