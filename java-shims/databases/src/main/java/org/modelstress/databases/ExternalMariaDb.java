package org.modelstress.databases;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A MariaDB or MySQL that somebody else runs. */
final class ExternalMariaDb extends External {
  /** The address: {@code mariadb://user:password@host:port/database}. */
  static final String VARIABLE = "MODELSTRESS_MARIADB";

  ExternalMariaDb(String address) {
    super("mariadb", VARIABLE, address);
  }

  @Override
  void check(Connection connection) throws SQLException, DatabaseException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@local_infile")) {
      row.next();
      if (!row.getBoolean(1)) {
        throw new DatabaseException(
            "the server at "
                + VARIABLE
                + " takes no rows that clients stream, as loading needs; set its local_infile to ON",
            null);
      }
    }
  }

  /** It has no templates: tables are copied with their indexes, then their rows. */
  @Override
  void copy(Statement statement, String from, String to) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = '"
                + from
                + "' AND table_type = 'BASE TABLE'")) {
      while (rows.next()) {
        tables.add("`" + rows.getString(1).replace("`", "``") + "`");
      }
    }
    statement.execute("CREATE DATABASE " + to);
    for (String table : tables) {
      statement.execute("CREATE TABLE " + to + "." + table + " LIKE " + from + "." + table);
      statement.execute("INSERT INTO " + to + "." + table + " SELECT * FROM " + from + "." + table);
    }
  }

  @Override
  String unusedCopies() {
    return "SELECT schema_name FROM information_schema.schemata s WHERE schema_name LIKE '"
        + COPY.replace("_", "\\_")
        + "%' AND NOT EXISTS (SELECT 1 FROM information_schema.processlist p WHERE p.db ="
        + " s.schema_name)";
  }

  @Override
  String drop(String database) {
    return "DROP DATABASE IF EXISTS " + database;
  }
}
