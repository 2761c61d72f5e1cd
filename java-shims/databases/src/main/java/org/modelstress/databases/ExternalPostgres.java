package org.modelstress.databases;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/** A PostgreSQL that somebody else runs. */
final class ExternalPostgres extends External {
  /** The address: {@code postgresql://user:password@host:port/database}. */
  static final String VARIABLE = "MODELSTRESS_POSTGRESQL";

  private static final int TRIES = 50;
  private static final long AGAIN_MILLIS = 200;
  private static final String IN_USE = "55006";

  ExternalPostgres(String address) {
    super("postgresql", VARIABLE, address);
  }

  @Override
  void check(Connection connection) throws SQLException, DatabaseException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW max_prepared_transactions")) {
      row.next();
      if (row.getInt(1) == 0) {
        throw new DatabaseException(
            "the server at "
                + VARIABLE
                + " prepares no transactions, as those on several stores"
                + " need; set its max_prepared_transactions to 400 and start it again",
            null);
      }
    }
  }

  /** A template that is in use is waited for. */
  @Override
  void copy(Statement statement, String from, String to) throws SQLException, InterruptedException {
    for (int tries = 1; ; tries++) {
      try {
        statement.execute("CREATE DATABASE " + to + " TEMPLATE " + from);
        return;
      } catch (SQLException e) {
        if (!IN_USE.equals(e.getSQLState()) || tries == TRIES) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
      }
    }
  }

  @Override
  String unusedCopies() {
    return "SELECT datname FROM pg_database d WHERE datname LIKE '"
        + COPY.replace("_", "\\_")
        + "%' AND datdba = current_user::regrole"
        + " AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datid = d.oid)";
  }

  @Override
  String drop(String database) {
    return "DROP DATABASE IF EXISTS " + database + " WITH (FORCE)";
  }
}
