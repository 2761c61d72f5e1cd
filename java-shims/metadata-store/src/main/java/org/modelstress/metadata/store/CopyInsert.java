package org.modelstress.metadata.store;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.PGConnection;

/** PostgreSQL's {@code COPY}. */
final class CopyInsert implements BulkInsert {
  private static final int BUFFER = 1 << 16;

  @Override
  public void insert(Connection connection, Table table, List<Object[]> rows) throws SQLException {
    String copy =
        "COPY " + table.name() + " (" + String.join(", ", table.columns()) + ") FROM STDIN";
    try {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn(copy, TabSeparated.of(rows), BUFFER);
    } catch (IOException e) {
      throw new SQLException("rows cannot be sent", e);
    }
  }
}
