package org.modelstress.topology.check;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.jdbc.SchemaCreator;

/** The stores of a topology, looked into by SQL. */
final class OpenStores implements AutoCloseable {
  private final Topology topology;
  private final Map<String, Connection> stores = new LinkedHashMap<>();

  /**
   * Opens them.
   *
   * @param urls for JDBC, by the names of stores
   */
  OpenStores(Topology topology, Map<String, String> urls) throws SQLException {
    this.topology = topology;
    try {
      for (Map.Entry<String, String> url : urls.entrySet()) {
        stores.put(url.getKey(), DriverManager.getConnection(url.getValue()));
      }
    } catch (SQLException e) {
      close();
      throw e;
    }
  }

  Topology topology() {
    return topology;
  }

  Set<String> names() {
    return stores.keySet();
  }

  boolean isPostgres(String store) throws SQLException {
    return stores.get(store).getMetaData().getDatabaseProductName().equals("PostgreSQL");
  }

  /** Names of those that have objects of a type. */
  List<String> with(String type) {
    Set<String> having = SchemaCreator.storesOf(topology, topology.schema().type(type));
    return stores.keySet().stream().filter(having::contains).toList();
  }

  /** Rows of a store. */
  List<List<Object>> rows(String store, String sql) throws SQLException {
    try (Statement statement = stores.get(store).createStatement();
        ResultSet found = statement.executeQuery(sql)) {
      List<List<Object>> rows = new ArrayList<>();
      int columns = found.getMetaData().getColumnCount();
      while (found.next()) {
        List<Object> row = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          row.add(found.getObject(i));
        }
        rows.add(row);
      }
      return rows;
    }
  }

  /** Objects of a type in all stores, each once: its identifier to some of its attributes. */
  Map<Long, List<Object>> objects(String type, String... attributes) throws SQLException {
    StringBuilder columns = new StringBuilder("\"oid\"");
    for (String attribute : attributes) {
      columns.append(", \"").append(attribute).append('"');
    }
    Map<Long, List<Object>> objects = new LinkedHashMap<>();
    for (String store : with(type)) {
      for (List<Object> row : rows(store, "SELECT " + columns + " FROM \"" + type + '"')) {
        objects.put((Long) row.get(0), row.subList(1, row.size()));
      }
    }
    return objects;
  }

  @Override
  public void close() {
    for (Connection store : stores.values()) {
      try {
        store.close();
      } catch (SQLException e) {
        System.err.println("a store was not closed: " + e.getMessage());
      }
    }
  }
}
