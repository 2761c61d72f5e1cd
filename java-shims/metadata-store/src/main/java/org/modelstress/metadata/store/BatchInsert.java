package org.modelstress.metadata.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** By batches of JDBC, for databases that have nothing faster. */
record BatchInsert(Dialect dialect) implements BulkInsert {
  @Override
  public void insert(Connection connection, Table table, List<Object[]> rows) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(table.insert(1, dialect))) {
      for (Object[] row : rows) {
        StoreConnection.set(statement, 1, row);
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }
}
