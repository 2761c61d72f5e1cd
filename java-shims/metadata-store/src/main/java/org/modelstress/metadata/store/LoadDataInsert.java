package org.modelstress.metadata.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * MariaDB's {@code LOAD DATA LOCAL}, of rows that the driver streams: no file is read, neither here
 * nor by the server.
 */
final class LoadDataInsert implements BulkInsert {
  @Override
  public void insert(Connection connection, Table table, List<Object[]> rows) throws SQLException {
    String load =
        "LOAD DATA LOCAL INFILE 'rows' INTO TABLE "
            + table.name()
            + " CHARACTER SET utf8mb4 ("
            + String.join(", ", table.columns())
            + ")";
    try (Statement statement = connection.createStatement()) {
      statement
          .unwrap(org.mariadb.jdbc.Statement.class)
          .setLocalInfileInputStream(TabSeparated.of(rows));
      int inserted = statement.executeUpdate(load);
      if (inserted != rows.size()) { // it passes over rows whose key is there
        throw new SQLException(
            inserted + " of " + rows.size() + " rows were taken by " + table.name(), "23000");
      }
    }
  }
}
