package org.modelstress.topology.connection.jdbc;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;
import org.modelstress.topology.config.Domain;
import org.modelstress.topology.query.Condition;
import org.modelstress.topology.query.Queries;
import org.modelstress.topology.query.Query;
import org.modelstress.topology.query.QueryException;
import org.modelstress.topology.schema.Attribute;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.wire.Predicate;
import org.modelstress.topology.wire.Write;

/** Statements in what PostgreSQL and H2 have in common. Values are always bound, never text. */
record Sql(String text, List<Object> values) {
  /** Results of a query that belong to some domains. */
  static Sql find(Query query, List<?> parameters, Collection<Domain> domains) {
    StringBuilder sql = new StringBuilder(select(query.type()));
    List<Object> values = new ArrayList<>();
    List<Condition> conditions = new ArrayList<>();
    String and = " WHERE ";
    if (query.condition() != null) {
      sql.append(and);
      query.condition().toSql(sql, values, parameters);
      and = " AND ";
    }
    for (Domain domain : domains) {
      conditions.add(domain.definition().get(query.type()));
    }
    if (conditions.stream().allMatch(Objects::nonNull)) { // else all objects belong to one
      sql.append(and);
      new Condition.Several(false, conditions).toSql(sql, values, List.of());
    }
    StringJoiner order = new StringJoiner(", ", " ORDER BY ", "").setEmptyValue("");
    for (Query.Order by : query.order()) {
      String end = by.descending() ? " DESC NULLS LAST" : " ASC NULLS LAST";
      order.add(quoted(query.type().attribute(by.place()).name()) + end);
    }
    if (!query.order().isEmpty()) {
      order.add("\"oid\"");
    }
    return new Sql(sql.append(order).toString(), values);
  }

  /** Objects by their identifiers. */
  static Sql fetch(ObjectType type, long[] oids) {
    StringJoiner marks = new StringJoiner(", ", " WHERE \"oid\" IN (", ")");
    List<Object> values = new ArrayList<>();
    for (long oid : oids) {
      marks.add("?");
      values.add(oid);
    }
    return new Sql(select(type) + marks, values);
  }

  /** One write, whose count of rows is 1 where its checks hold. */
  static Sql write(Write write, ObjectType type, Queries queries) throws QueryException {
    return switch (write.kind()) {
      case INSERT -> insert(write, type);
      case UPDATE -> update(write, type, queries);
      case DELETE -> {
        StringBuilder sql = new StringBuilder("DELETE FROM ").append(quoted(type.name()));
        List<Object> values = new ArrayList<>();
        where(sql, values, write, type, queries);
        yield new Sql(sql.toString(), values);
      }
    };
  }

  /** Whether an object is there at all. */
  static Sql exists(Write write, ObjectType type) {
    String text = "SELECT 1 FROM " + quoted(type.name()) + " WHERE \"oid\" = ?";
    return new Sql(text, List.of(write.oid()));
  }

  private static Sql insert(Write write, ObjectType type) {
    StringJoiner names = new StringJoiner(", ", " (\"oid\", \"version\", ", ")");
    StringJoiner marks = new StringJoiner(", ", " VALUES (?, 0, ", ")");
    List<Object> values = new ArrayList<>(List.of(write.oid()));
    for (int place = 0; place < type.attributes().size(); place++) {
      names.add(quoted(type.attribute(place).name()));
      marks.add("?");
      values.add(write.values()[place]);
    }
    return new Sql("INSERT INTO " + quoted(type.name()) + names + marks, values);
  }

  private static Sql update(Write write, ObjectType type, Queries queries) throws QueryException {
    StringBuilder sql = new StringBuilder("UPDATE ").append(quoted(type.name()));
    sql.append(" SET \"version\" = \"version\" + 1");
    List<Object> values = new ArrayList<>();
    for (int place = 0; place < type.attributes().size(); place++) {
      long bit = 1L << place;
      String name = quoted(type.attribute(place).name());
      if ((write.changed() & bit) != 0) {
        sql.append(", ").append(name).append(" = ?");
        values.add(write.values()[place]);
      } else if ((write.added() & bit) != 0) {
        sql.append(", ").append(name).append(" = ").append(name).append(" + ?");
        values.add(write.values()[place]);
      }
    }
    where(sql, values, write, type, queries);
    return new Sql(sql.toString(), values);
  }

  private static void where(
      StringBuilder sql, List<Object> values, Write write, ObjectType type, Queries queries)
      throws QueryException {
    sql.append(" WHERE \"oid\" = ?");
    values.add(write.oid());
    if (write.version() != Write.ANY_VERSION) {
      sql.append(" AND \"version\" = ?");
      values.add(write.version());
    }
    for (Predicate predicate : write.predicates()) {
      sql.append(" AND ");
      queries.condition(predicate.condition(), type).toSql(sql, values, predicate.parameters());
    }
  }

  private static String select(ObjectType type) {
    StringJoiner names = new StringJoiner(", ", "SELECT ", " FROM " + quoted(type.name()));
    names.add("\"oid\"").add("\"version\"");
    for (Attribute attribute : type.attributes()) {
      names.add(quoted(attribute.name()));
    }
    return names.toString();
  }

  /** Names of types and attributes have letters, digits and underscores only. */
  static String quoted(String name) {
    return '"' + name + '"';
  }
}
