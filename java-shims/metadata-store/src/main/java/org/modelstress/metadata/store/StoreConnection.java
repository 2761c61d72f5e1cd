package org.modelstress.metadata.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.modelstress.metadata.objects.Link;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ObjectType;

/** Statements on a connection, within a transaction or not. */
public final class StoreConnection {
  /** From so many rows of a table on they are inserted as databases like it best. */
  private static final int BULK = 200;

  /** Rows of one {@code INSERT} at most. */
  private static final int ROWS = 64;

  /**
   * Nothing in the inner query is of the outer one: otherwise a database asks it for every version
   * that there is, and an update would cost more with each.
   */
  private static final String LAST =
      "v.id = ? AND v.version = (SELECT MAX(n.version) FROM object_version n WHERE n.id = ?)";

  private static final String LASTS =
      "v.id IN (%1$s) AND (v.id, v.version) IN (SELECT n.id, MAX(n.version) FROM object_version n"
          + " WHERE n.id IN (%1$s) GROUP BY n.id)";

  private final Connection connection;
  private final Dialect dialect;
  private final Layout layout;

  StoreConnection(Connection connection, Dialect dialect, Layout layout) {
    this.connection = connection;
    this.dialect = dialect;
    this.layout = layout;
  }

  /**
   * Inserts versions of objects.
   *
   * @throws SQLException also where one is there already
   */
  public void insert(Collection<MetadataObject> objects) throws SQLException {
    long now = System.currentTimeMillis();
    Map<Table, List<Object[]>> rows = new LinkedHashMap<>();
    layout.tables().forEach(table -> rows.put(table, new ArrayList<>()));
    for (MetadataObject object : objects) {
      layout.rows(object, now, (table, values) -> rows.get(table).add(values));
    }
    for (Map.Entry<Table, List<Object[]>> each : rows.entrySet()) {
      if (each.getValue().size() >= BULK) {
        dialect.bulk().insert(connection, each.getKey(), each.getValue());
      } else {
        insert(each.getKey(), each.getValue());
      }
    }
  }

  private void insert(Table table, List<Object[]> rows) throws SQLException {
    for (int from = 0; from < rows.size(); from += ROWS) {
      List<Object[]> some = rows.subList(from, Math.min(rows.size(), from + ROWS));
      try (PreparedStatement statement =
          connection.prepareStatement(table.insert(some.size(), dialect))) {
        int parameter = 1;
        for (Object[] row : some) {
          parameter = set(statement, parameter, row);
        }
        statement.executeUpdate();
      }
    }
  }

  /**
   * Does a part of a transaction of which all is written or nothing.
   *
   * @throws MetadataException of the work, after what it wrote was taken back
   */
  public <T> T wholly(ObjectStore.Work<T> work) throws SQLException, MetadataException {
    Savepoint before = connection.setSavepoint();
    try {
      return work.with(this);
    } catch (MetadataException e) {
      connection.rollback(before);
      throw e;
    }
  }

  /** Number of the last version of an object; 0 where there is no object. */
  public int lastVersion(long id) throws SQLException {
    return (int) number("SELECT MAX(version) FROM object_version WHERE id = ?", id);
  }

  /** The greatest version of objects from one identifier to another; 0 where there is none. */
  public int lastVersion(long first, long last) throws SQLException {
    String sql = "SELECT MAX(version) FROM object_version WHERE id BETWEEN ? AND ?";
    return (int) number(sql, first, last);
  }

  /** The greatest identifier of any object; 0 where there is none. */
  public long lastId() throws SQLException {
    return number("SELECT MAX(id) FROM object_version");
  }

  /** The first column of the first row; 0 where there is none. */
  private long number(String sql, Object... parameters) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      set(statement, 1, parameters);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getLong(1) : 0;
      }
    }
  }

  /** A version of an object; null where it is not there. */
  public MetadataObject version(long id, int version, Types types)
      throws SQLException, MetadataException {
    List<MetadataObject> found =
        select("v.id = ? AND v.version = ?", List.of(id, version), true, types);
    return found.isEmpty() ? null : found.get(0);
  }

  /** The last version of an object; null where it is not there. */
  public MetadataObject last(long id, Types types) throws SQLException, MetadataException {
    List<MetadataObject> found = select(LAST, List.of(id, id), true, types);
    return found.isEmpty() ? null : found.get(0);
  }

  /** Last versions of those objects that are there, identifiers rising. */
  public List<MetadataObject> lasts(List<Long> ids, Types types)
      throws SQLException, MetadataException {
    if (ids.isEmpty()) {
      return List.of();
    }
    // statements of few sizes only: each is prepared once
    int size = Math.max(Integer.highestOneBit(2 * ids.size() - 1), 1);
    List<Object> padded = new ArrayList<>(ids);
    padded.addAll(Collections.nCopies(size - ids.size(), ids.get(ids.size() - 1)));
    String places = String.join(", ", Collections.nCopies(size, "?"));
    List<Object> twice = new ArrayList<>(padded);
    twice.addAll(padded);
    return select(String.format(LASTS, places), twice, false, types);
  }

  /**
   * Versions of objects, identifiers rising and versions of one object, too; all ends are included.
   *
   * @param first least identifier
   * @param last greatest identifier
   * @param from least version
   * @param to greatest version
   */
  public List<MetadataObject> range(long first, long last, int from, int to, Types types)
      throws SQLException, MetadataException {
    return select(
        "v.id BETWEEN ? AND ? AND v.version BETWEEN ? AND ?",
        List.of(first, last, from, to),
        false,
        types);
  }

  private List<MetadataObject> select(
      String where, List<Object> parameters, boolean one, Types types)
      throws SQLException, MetadataException {
    try (PreparedStatement statement = connection.prepareStatement(layout.select(where, one))) {
      int place = 1;
      for (int part = 0; part < layout.parts(); part++) {
        place = set(statement, place, parameters.toArray());
      }
      List<MetadataObject> found = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        boolean more = rows.next();
        while (more) {
          Layout.Read read = layout.read(rows, (type, version) -> types.of(this, type, version));
          found.add(read.object());
          more = read.more();
        }
      }
      return found;
    }
  }

  /** Finds types by the objects that they are. */
  @FunctionalInterface
  public interface Types {
    /** The type; on this connection where it has to be read. */
    ObjectType of(StoreConnection connection, long id, int version)
        throws SQLException, MetadataException;
  }

  /** Identifier of the type of a name; 0 where there is none. */
  public long typeId(String name) throws SQLException {
    return number("SELECT id FROM type_name WHERE name = ?", name);
  }

  /**
   * Gives a type its name.
   *
   * @throws SQLException also where another one has it
   */
  public void nameType(String name, long id) throws SQLException {
    execute("INSERT INTO type_name (name, id) VALUES (?, ?)", name, id);
  }

  /** Names of all types. */
  public List<String> typeNames() throws SQLException {
    List<String> names = new ArrayList<>();
    try (PreparedStatement statement =
            connection.prepareStatement("SELECT name FROM type_name ORDER BY name");
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    return names;
  }

  /** The first of so many identifiers that nobody else gets. */
  long takeIds(String counter, long count) throws SQLException {
    execute("UPDATE id_counter SET next_id = next_id + ? WHERE name = ?", count, counter);
    String sql = "SELECT next_id FROM id_counter WHERE name = ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, counter);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("there is no counter " + counter + " in the store");
        }
        return row.getLong(1) - count;
      }
    }
  }

  /** Makes a link; nothing where it is there. */
  public void link(Link link) throws SQLException {
    execute(
        "INSERT INTO object_link (source, name, target) SELECT v.id, ?, ? FROM object_version v"
            + " WHERE v.id = ? AND v.version = 1 AND NOT EXISTS (SELECT 1 FROM object_link l WHERE"
            + " l.source = v.id AND l.name = ? AND l.target = ?)",
        link.name(),
        link.target(),
        link.source(),
        link.name(),
        link.target());
  }

  /**
   * Links of an object.
   *
   * @param incoming those that lead to it, else those that begin there
   * @param name of the links; null: all
   */
  public List<Link> links(long id, boolean incoming, String name, int limit) throws SQLException {
    String sql =
        "SELECT source, name, target FROM object_link WHERE "
            + (incoming ? "target" : "source")
            + " = ?"
            + (name == null ? "" : " AND name = ?")
            + " ORDER BY name, source, target LIMIT "
            + limit;
    List<Link> links = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, id);
      if (name != null) {
        statement.setString(2, name);
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          links.add(new Link(rows.getLong(1), rows.getString(2), rows.getLong(3)));
        }
      }
    }
    return links;
  }

  /** Identifiers of objects of a type, rising. */
  public List<Long> ofType(long type, int limit) throws SQLException {
    return ids(
        "SELECT id FROM object_version WHERE type = ? AND version = 1 ORDER BY id LIMIT " + limit,
        List.of(type));
  }

  /**
   * Identifiers of objects whose last version has a value from one text to another.
   *
   * @param from stored text of the least value; null: any
   * @param to stored text of the greatest value; null: any
   */
  public List<Long> withValue(long type, int place, String from, String to, int limit)
      throws SQLException {
    StringBuilder sql =
        new StringBuilder("SELECT i.id FROM indexed_value i WHERE i.type = ? AND i.place = ?");
    List<Object> parameters = new ArrayList<>(List.of(type, place));
    if (from != null && from.equals(to)) {
      sql.append(" AND i.stored = ?");
      parameters.add(from);
    } else {
      if (from != null) {
        sql.append(" AND i.stored >= ?");
        parameters.add(from);
      }
      if (to != null) {
        sql.append(" AND i.stored <= ?");
        parameters.add(to);
      }
    }
    // versions have no gaps
    sql.append(" AND NOT EXISTS (SELECT 1 FROM object_version n WHERE n.id = i.id AND n.version =")
        .append(" i.version + 1) ORDER BY i.stored, i.id LIMIT ")
        .append(limit);
    return ids(sql.toString(), parameters);
  }

  void createNotes() throws SQLException {
    execute(
        "CREATE TABLE IF NOT EXISTS loaded_chunk (chunk BIGINT NOT NULL PRIMARY KEY, note BIGINT NOT"
            + " NULL)");
  }

  void note(long chunk, long note) throws SQLException {
    execute("INSERT INTO loaded_chunk (chunk, note) VALUES (?, ?)", chunk, note);
  }

  List<long[]> notes() throws SQLException {
    List<long[]> notes = new ArrayList<>();
    try (PreparedStatement statement =
            connection.prepareStatement("SELECT chunk, note FROM loaded_chunk");
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        notes.add(new long[] {rows.getLong(1), rows.getLong(2)});
      }
    }
    return notes;
  }

  void dropNotes() throws SQLException {
    execute("DROP TABLE loaded_chunk");
  }

  private List<Long> ids(String sql, List<Object> parameters) throws SQLException {
    List<Long> ids = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      set(statement, 1, parameters.toArray());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          ids.add(rows.getLong(1));
        }
      }
    }
    return ids;
  }

  private void execute(String sql, Object... parameters) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      set(statement, 1, parameters);
      statement.executeUpdate();
    }
  }

  /** Sets parameters from a place on; the place after the last of them. */
  static int set(PreparedStatement statement, int first, Object[] values) throws SQLException {
    int place = first;
    for (Object value : values) {
      statement.setObject(place++, value);
    }
    return place;
  }
}
