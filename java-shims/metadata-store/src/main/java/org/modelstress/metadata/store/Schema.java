package org.modelstress.metadata.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.modelstress.metadata.objects.ObjectType;

/** Tables and indexes. */
final class Schema {
  /** Identifiers of objects that are not types begin here; those of types are below. */
  static final long FIRST_OBJECT = 1_001;

  static final String OBJECTS = "object";
  static final String TYPES = "type";

  private Schema() {}

  /** Creates all tables in an empty database. */
  static void create(Connection connection, Dialect dialect, Layout layout, boolean indexes)
      throws SQLException {
    List<String> statements = new ArrayList<>(layout.create(dialect));
    String key = dialect.keyText() + " NOT NULL";
    statements.add(
        "CREATE TABLE type_name (name "
            + key
            + " PRIMARY KEY, id BIGINT NOT NULL)"
            + dialect.tableEnd());
    statements.add(
        "CREATE TABLE object_link (source BIGINT NOT NULL, name "
            + key
            + ", target BIGINT NOT NULL, PRIMARY KEY (source, name, target))"
            + dialect.tableEnd());
    statements.add(
        "CREATE TABLE id_counter (name "
            + key
            + " PRIMARY KEY, next_id BIGINT NOT NULL)"
            + dialect.tableEnd());
    statements.add("INSERT INTO id_counter VALUES ('" + OBJECTS + "', " + FIRST_OBJECT + ")");
    statements.add(
        "INSERT INTO id_counter VALUES ('" + TYPES + "', " + (ObjectType.TYPE_ID + 1) + ")");
    if (indexes) {
      statements.add("CREATE INDEX value_place ON indexed_value (type, place, stored, id)");
      statements.add("CREATE INDEX version_type ON object_version (type, id)");
      statements.add("CREATE INDEX link_target ON object_link (target, name)");
    }
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** Whether there are tables. */
  static boolean isThere(Connection connection) {
    try (Statement statement = connection.createStatement()) {
      statement.executeQuery("SELECT next_id FROM id_counter").close();
      return true;
    } catch (SQLException e) {
      return false;
    }
  }
}
