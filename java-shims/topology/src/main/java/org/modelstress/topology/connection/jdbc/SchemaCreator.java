package org.modelstress.topology.connection.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.StringJoiner;
import org.modelstress.topology.config.Domain;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.schema.Attribute;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.schema.ValueType;

/** Creates the tables and indexes of a store. */
public final class SchemaCreator {
  private SchemaCreator() {}

  /** The types that have objects in a store. */
  public static Set<ObjectType> types(Topology topology, String store) {
    Set<ObjectType> types = new LinkedHashSet<>();
    for (Domain domain : topology.domains()) {
      if (domain.tree().stores().contains(store)) {
        types.addAll(domain.definition().keySet());
      }
    }
    return types;
  }

  /** The stores that have objects of a type, in the order of the domains. */
  public static Set<String> storesOf(Topology topology, ObjectType type) {
    Set<String> stores = new LinkedHashSet<>();
    for (Domain domain : topology.domains()) {
      if (domain.definition().containsKey(type)) {
        stores.addAll(domain.tree().stores());
      }
    }
    return stores;
  }

  /** Creates what a store needs and does not have, by a URL for JDBC. */
  public static void create(String url, Topology topology, String store) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      create(connection, topology, store);
    }
  }

  /** Lets the store know its data, as it would by and by: plans of queries depend on it. */
  public static void analyze(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(Store.isPostgres(url) ? "VACUUM ANALYZE" : "ANALYZE");
    }
  }

  /** Creates what a store needs and does not have. */
  public static void create(Connection connection, Topology topology, String store)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (ObjectType type : types(topology, store)) {
        statement.execute(table(type));
        for (Attribute attribute : type.attributes()) {
          if (attribute.indexed()) {
            statement.execute(index(type, attribute));
          }
        }
      }
    }
  }

  private static String table(ObjectType type) {
    StringJoiner columns =
        new StringJoiner(", ", "CREATE TABLE IF NOT EXISTS " + Sql.quoted(type.name()) + " (", ")");
    columns.add("\"oid\" BIGINT PRIMARY KEY").add("\"version\" INTEGER NOT NULL");
    for (Attribute attribute : type.attributes()) {
      String sql = attribute.type() == ValueType.STRING ? "VARCHAR" : attribute.type().sql();
      columns.add(Sql.quoted(attribute.name()) + " " + sql);
    }
    return columns.toString();
  }

  private static String index(ObjectType type, Attribute attribute) {
    String name = Sql.quoted(type.name() + "_" + attribute.name());
    String on = Sql.quoted(type.name()) + " (" + Sql.quoted(attribute.name()) + ")";
    return "CREATE INDEX IF NOT EXISTS " + name + " ON " + on;
  }
}
