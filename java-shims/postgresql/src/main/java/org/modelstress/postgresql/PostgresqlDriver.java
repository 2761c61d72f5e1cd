package org.modelstress.postgresql;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.stream.LongStream;
import org.modelstress.databases.Addresses;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.DriverTimeoutException;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.SessionContext;

/** The client side: one connection per session, one prepared statement per text. */
public final class PostgresqlDriver implements Driver {
  /** After the server should have ended a query, so that a session outlives its time-out. */
  private static final int LATER_MILLIS = 200;

  @Override
  public String name() {
    return "postgresql";
  }

  @Override
  public Session open(Endpoints endpoints, SessionContext who) throws DriverException {
    int millis = (int) Math.min(who.options().timeoutMillis(), 1 << 30);
    long deadline = System.nanoTime() + millis * 1_000_000L;
    try {
      String url = Addresses.jdbc(endpoints.first().uri().toString());
      Connection connection = DriverManager.getConnection(url, properties(who.options(), millis));
      connection.setNetworkTimeout(Runnable::run, LATER_MILLIS + millis);
      return new SqlSession(connection, millis);
    } catch (SQLException | IllegalArgumentException e) {
      String why = "no session: " + PostgresqlServer.oneLine(e);
      throw System.nanoTime() >= deadline
          ? new DriverTimeoutException(why, e)
          : new DriverException(why, e);
    }
  }

  private static Properties properties(Options options, int millis) {
    String seconds = Integer.toString(1 + (millis - 1) / 1000);
    Properties properties = new Properties();
    properties.setProperty("sslmode", options.text("sslmode", "prefer"));
    properties.setProperty("prepareThreshold", options.text("prepare_threshold", "1"));
    properties.setProperty("assumeMinServerVersion", "14"); // says so in fewer round trips
    properties.setProperty("maxResultBuffer", "256M"); // else the heap is the limit
    properties.setProperty("connectTimeout", seconds);
    properties.setProperty("socketTimeout", seconds);
    properties.setProperty(
        "options",
        "-c default_transaction_read_only=on -c client_connection_check_interval=1s"
            + " -c statement_timeout="
            + millis);
    return properties;
  }

  @Override
  public void close() {
    // sessions share nothing
  }

  private record SqlSession(Connection connection, int millis) implements Session {
    @Override
    public Outcome execute(Operation operation) {
      long deadline = System.nanoTime() + millis * 1_000_000L;
      try (PreparedStatement statement = connection.prepareStatement(operation.text());
          ResultSet rows = statement.executeQuery()) {
        int columns = rows.getMetaData().getColumnCount();
        if (!(operation.parameters().get("tuple") instanceof List<?> tuple)
            || tuple.size() != columns) {
          throw new SQLException("the query has another number of columns: " + columns);
        }
        long[] ids = identifiers(rows, columns);
        return Outcome.ok(new Ids.Longs(ids, ids.length));
      } catch (SQLException e) {
        boolean late = System.nanoTime() >= deadline;
        Outcome.Kind kind = late ? Outcome.Kind.TIMEOUT : Outcome.Kind.ERROR;
        return Outcome.failed(kind, PostgresqlServer.oneLine(e));
      }
    }

    private static long[] identifiers(ResultSet rows, int columns) throws SQLException {
      LongStream.Builder ids = LongStream.builder();
      while (rows.next()) {
        for (int column = 1; column <= columns; column++) {
          ids.add(rows.getLong(column));
          if (rows.wasNull()) {
            throw new SQLException("a row has NULL instead of an element");
          }
        }
      }
      return ids.build().toArray();
    }

    @Override
    public void close() {
      try {
        connection.close();
      } catch (SQLException e) {
        // the answer has been read; how the connection ends does not change it
      }
    }
  }
}
