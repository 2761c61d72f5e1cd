package org.modelstress.topology.move;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import java.util.function.LongConsumer;
import org.modelstress.topology.config.ConfigException;
import org.modelstress.topology.config.Domain;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.jdbc.SchemaCreator;
import org.modelstress.topology.schema.ObjectType;

/**
 * Moves objects to where another distribution has them (Free Data Objects, 7.1.2, step 4). They
 * keep their identifiers and versions, so that references go on leading to them.
 *
 * <p>No application may be at work meanwhile. Objects are in their new stores before they leave the
 * old ones, and whoever is interrupted begins again: what has been moved is passed over.
 */
public final class ObjectMover implements AutoCloseable {
  private static final int AT_ONCE = 500;
  private static final int VALUES = 2; // columns before those of attributes

  private final Topology before;
  private final Topology after;
  private final Map<String, Connection> stores = new LinkedHashMap<>();
  private final LongConsumer progress;
  private long moved;

  /**
   * Opens the stores and creates what they lack.
   *
   * @param before how objects are distributed
   * @param after how they shall be
   * @param urls for JDBC, of all stores of both, by their names
   * @param progress is told how many objects were moved
   * @throws ConfigException where a store or a type is missing
   */
  public ObjectMover(
      Topology before, Topology after, Map<String, String> urls, LongConsumer progress)
      throws ConfigException, SQLException {
    this.before = before;
    this.after = after;
    this.progress = progress;
    for (ObjectType type : before.schema().types()) {
      if (!areAlike(type, after.schema().type(type.name()))) {
        throw new ConfigException("type " + type + " is another one in the new distribution");
      }
    }
    try {
      for (Topology topology : List.of(before, after)) {
        for (Domain domain : topology.domains()) {
          for (String store : domain.tree().stores()) {
            open(store, urls.get(store), topology == after);
          }
        }
      }
    } catch (SQLException | ConfigException e) {
      close();
      throw e;
    }
  }

  /** Whether two types have the same attributes; of which there is an index does not matter. */
  private static boolean areAlike(ObjectType one, ObjectType other) {
    return other != null
        && one.code() == other.code()
        && one.attributes().stream()
            .map(each -> List.of(each.name(), each.type()))
            .toList()
            .equals(
                other.attributes().stream()
                    .map(each -> List.of(each.name(), each.type()))
                    .toList());
  }

  private void open(String store, String url, boolean isNew) throws ConfigException, SQLException {
    if (url == null) {
      throw new ConfigException("stores: the address of store " + store + " is missing");
    }
    if (!stores.containsKey(store)) {
      Connection connection = DriverManager.getConnection(url);
      connection.setAutoCommit(false);
      stores.put(store, connection);
    }
    if (isNew) {
      SchemaCreator.create(stores.get(store), after, store);
      stores.get(store).commit();
    }
  }

  /**
   * Moves all objects.
   *
   * @return how many had to be moved
   * @throws ConfigException where no domain of the new distribution has an object; those before it
   *     are moved
   */
  public long move() throws ConfigException, SQLException {
    for (ObjectType type : before.schema().types()) {
      for (String store : SchemaCreator.storesOf(before, type)) {
        move(type, store);
      }
    }
    return moved;
  }

  private void move(ObjectType type, String source) throws ConfigException, SQLException {
    Set<String> having = new LinkedHashSet<>(SchemaCreator.storesOf(before, type));
    having.addAll(SchemaCreator.storesOf(after, after.schema().type(type.name())));
    long last = Long.MIN_VALUE;
    List<Object[]> rows;
    do {
      rows = rows(source, type, last);
      Map<Long, Set<String>> where = where(type, rows, having);
      Map<List<Set<String>>, List<Object[]>> ways = new LinkedHashMap<>();
      for (Object[] row : rows) {
        last = (Long) row[0];
        Set<String> now = where.get(last);
        ways.computeIfAbsent(List.of(now, target(type, row, now)), way -> new ArrayList<>())
            .add(row);
      }
      for (Map.Entry<List<Set<String>>, List<Object[]>> entry : ways.entrySet()) {
        move(type, entry.getValue(), entry.getKey().get(0), entry.getKey().get(1));
      }
    } while (rows.size() == AT_ONCE);
  }

  /** The stores in which each object is, also those where somebody who was interrupted put it. */
  private Map<Long, Set<String>> where(ObjectType type, List<Object[]> rows, Set<String> having)
      throws SQLException {
    Map<Long, Set<String>> where = new HashMap<>();
    for (String store : having) {
      for (Long oid : rows.isEmpty() ? Set.<Long>of() : there(store, type, rows)) {
        where.computeIfAbsent(oid, o -> new LinkedHashSet<>()).add(store);
      }
    }
    return where;
  }

  /**
   * The place that has most of the stores in which an object is; of several, one by the object's
   * identifier. Who asks again, after any part of the move, gets the same.
   */
  private Set<String> target(ObjectType type, Object[] row, Set<String> now)
      throws ConfigException {
    Object[] values = new Object[row.length - VALUES];
    for (int i = 0; i < values.length; i++) {
      values[i] = type.attribute(i).type().of(row[i + VALUES]);
    }
    Domain domain = after.domainOf(after.schema().type(type.name()), values);
    if (domain == null) {
      throw new ConfigException("no domain of the new distribution has " + type + " " + row[0]);
    }
    List<Set<String>> best = new ArrayList<>();
    long most = 0;
    for (Set<String> place : domain.places()) {
      long common = place.stream().filter(now::contains).count();
      if (common > most) {
        best.clear();
        most = common;
      }
      if (common == most) {
        best.add(place);
      }
    }
    return best.get(new SplittableRandom((Long) row[0]).nextInt(best.size()));
  }

  private void move(ObjectType type, List<Object[]> rows, Set<String> from, Set<String> to)
      throws SQLException {
    Set<String> added = new LinkedHashSet<>(to);
    added.removeAll(from);
    Set<String> left = new LinkedHashSet<>(from);
    left.removeAll(to);
    for (String store : added) {
      insert(store, type, rows);
    }
    for (String store : left) {
      delete(store, type, rows);
    }
    if (!added.isEmpty() || !left.isEmpty()) {
      moved += rows.size();
      progress.accept(moved);
    }
  }

  private List<Object[]> rows(String store, ObjectType type, long after) throws SQLException {
    String sql =
        select(type, "*")
            + " WHERE \"oid\" > ? ORDER BY \"oid\" FETCH FIRST "
            + AT_ONCE
            + " ROWS ONLY";
    try (PreparedStatement statement = stores.get(store).prepareStatement(sql)) {
      statement.setLong(1, after);
      try (ResultSet found = statement.executeQuery()) {
        List<Object[]> rows = new ArrayList<>();
        while (found.next()) {
          Object[] row = new Object[VALUES + type.attributes().size()];
          for (int i = 0; i < row.length; i++) {
            row[i] = found.getObject(i + 1);
          }
          rows.add(row);
        }
        return rows;
      }
    }
  }

  private static String select(ObjectType type, String what) {
    return "SELECT " + what + " FROM \"" + type.name() + '"';
  }

  private void insert(String store, ObjectType type, List<Object[]> rows) throws SQLException {
    Connection connection = stores.get(store);
    StringJoiner marks = new StringJoiner(", ", " VALUES (", ")");
    for (int i = 0; i < rows.get(0).length; i++) {
      marks.add("?");
    }
    try (PreparedStatement statement =
        connection.prepareStatement("INSERT INTO \"" + type.name() + '"' + marks)) {
      for (Object[] row : rows) {
        for (int i = 0; i < row.length; i++) {
          statement.setObject(i + 1, row[i]);
        }
        statement.addBatch();
      }
      statement.executeBatch();
    }
    connection.commit();
  }

  /** Those of some objects that are in a store. */
  private Set<Long> there(String store, ObjectType type, List<Object[]> rows) throws SQLException {
    Set<Long> there = new HashSet<>();
    StringJoiner marks = new StringJoiner(", ", " WHERE \"oid\" IN (", ")");
    rows.forEach(row -> marks.add("?"));
    String sql = select(type, "\"oid\"") + marks;
    try (PreparedStatement statement = stores.get(store).prepareStatement(sql)) {
      for (int i = 0; i < rows.size(); i++) {
        statement.setObject(i + 1, rows.get(i)[0]);
      }
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          there.add(found.getLong(1));
        }
      }
    }
    return there;
  }

  private void delete(String store, ObjectType type, List<Object[]> rows) throws SQLException {
    Connection connection = stores.get(store);
    try (PreparedStatement statement =
        connection.prepareStatement("DELETE FROM \"" + type.name() + "\" WHERE \"oid\" = ?")) {
      for (Object[] row : rows) {
        statement.setObject(1, row[0]);
        statement.addBatch();
      }
      statement.executeBatch();
    }
    connection.commit();
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
