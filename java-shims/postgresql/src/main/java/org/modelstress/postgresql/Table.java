package org.modelstress.postgresql;

import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.postgresql.PGConnection;

/** A table that is filled: its rows are sent by {@code COPY}, its constraints made at the end. */
final class Table {
  private static final int MOST_CHARACTERS = 1 << 20;

  private final Connection connection;
  private final String name;
  private final List<String> columns = new ArrayList<>();
  private final List<String> constraints = new ArrayList<>();
  private final StringBuilder rows = new StringBuilder();

  Table(Connection connection, String name) throws SQLException {
    this.connection = connection;
    this.name = quoted(name);
  }

  /** A name as {@code CREATE TABLE} has it, whatever it contains: lower case, in quotes. */
  private String quoted(String word) throws SQLException {
    String lower = word.toLowerCase(Locale.ROOT);
    return connection.unwrap(PGConnection.class).escapeIdentifier(lower);
  }

  Table column(String column, String type) throws SQLException {
    columns.add(quoted(column) + " " + type);
    return this;
  }

  /** Looks up rows by one column, or by two. */
  Table index(String by, String... then) throws SQLException {
    StringBuilder wanted = new StringBuilder(quoted(by));
    for (String column : then) {
      wanted.append(", ").append(quoted(column));
    }
    constraints.add("CREATE INDEX ON " + name + " (" + wanted + ")");
    return this;
  }

  /** Values of a column are keys of another table. */
  Table references(String column, Table other, String key) throws SQLException {
    constraints.add(
        String.format(
            "ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (%s)",
            name, quoted(column), other.name, key));
    return this;
  }

  void create() throws SQLException {
    execute("CREATE TABLE " + name + " (" + String.join(", ", columns) + ")");
  }

  void put(List<String> values) throws SQLException {
    String separator = "";
    for (String value : values) {
      rows.append(separator);
      if (value != null) { // an empty field without quotes is NULL
        rows.append('"').append(value.replace("\"", "\"\"")).append('"');
      }
      separator = ",";
    }
    rows.append('\n');
    if (rows.length() > MOST_CHARACTERS) {
      send();
    }
  }

  void send() throws SQLException {
    try {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn("COPY " + name + " FROM STDIN (FORMAT csv)", new StringReader(rows.toString()));
    } catch (IOException e) {
      throw new SQLException("rows cannot be sent", e);
    }
    rows.setLength(0);
  }

  void constrain() throws SQLException {
    for (String constraint : constraints) {
      execute(constraint);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
