package org.modelstress.metadata.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ObjectType;

/** How versions of objects are rows of tables. */
abstract class Layout {
  /** One row for each version, whatever the layout. */
  static final String VERSIONS = "object_version";

  /** One row for each value by which objects can be discovered, whatever the layout. */
  static final Table INDEXED =
      new Table("indexed_value", List.of("id", "version", "place", "type", "stored"));

  /** Told the rows of a version. */
  @FunctionalInterface
  interface Rows {
    void row(Table table, Object... values);
  }

  /** Finds the type that an object is of. */
  @FunctionalInterface
  interface Types {
    ObjectType of(long type, int version) throws SQLException, MetadataException;
  }

  /** The layout of a word: {@code rows} or {@code document}; null where there is none. */
  static Layout of(String word) {
    return switch (word) {
      case "rows" -> new RowLayout();
      case "document" -> new DocumentLayout();
      default -> null;
    };
  }

  /** Tables that versions have rows in, in the order in which these are inserted. */
  abstract List<Table> tables();

  /** {@code CREATE TABLE} statements of these tables. */
  abstract List<String> create(Dialect dialect);

  /**
   * The rows of a version.
   *
   * @param madeMillis when it was made, ms since 1970
   */
  abstract void rows(MetadataObject object, long madeMillis, Rows to);

  /**
   * A query for versions: rows of one version beside each other, identifiers rising.
   *
   * @param where condition on {@code v.id} and {@code v.version}; its parameters are asked for
   *     {@link #parts} times
   * @param one whether it holds for one version at most: nothing has to be sorted then
   */
  abstract String select(String where, boolean one);

  /** How often the parameters of a condition stand in {@link #select}. */
  abstract int parts();

  /**
   * The next version of a result, whose cursor is on its first row, and then on the row after it.
   *
   * @return whether there is a row after it, in {@code more}
   */
  abstract Read read(ResultSet rows, Types types) throws SQLException, MetadataException;

  /**
   * A version of a result.
   *
   * @param more whether the cursor is on the first row of another one
   */
  record Read(MetadataObject object, boolean more) {}

  static MetadataException broken(long id, int version, String what) {
    return new MetadataException(
        MetadataException.Reason.FAILED,
        "version " + version + " of object " + id + " is broken: " + what);
  }

  static void indexedRows(MetadataObject object, Rows to) {
    ObjectType type = object.type();
    for (int place = 0; place < object.values().length; place++) {
      if (type.attributes().get(place).indexed()) {
        String value = type.attributes().get(place).type().encode(object.values()[place]);
        to.row(INDEXED, object.id(), object.version(), place, type.id(), value);
      }
    }
  }

  static String createIndexed(Dialect dialect) {
    return "CREATE TABLE indexed_value (id BIGINT NOT NULL, version INTEGER NOT NULL, place SMALLINT"
        + " NOT NULL, type BIGINT NOT NULL, stored "
        + dialect.keyText()
        + " NOT NULL, PRIMARY KEY (id, version, place))"
        + dialect.tableEnd();
  }
}
