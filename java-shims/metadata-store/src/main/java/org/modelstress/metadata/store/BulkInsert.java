package org.modelstress.metadata.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Inserts many rows into a table. */
interface BulkInsert {
  /**
   * Inserts rows in the transaction of a connection: all of them or none.
   *
   * @param rows values in the order of the table's columns
   */
  void insert(Connection connection, Table table, List<Object[]> rows) throws SQLException;
}
