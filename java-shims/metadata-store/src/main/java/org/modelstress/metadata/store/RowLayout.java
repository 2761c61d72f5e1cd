package org.modelstress.metadata.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ObjectType;

/**
 * A header and a row for each attribute, as the report has it ("the number of database rows used to
 * represent the object", 4.1).
 */
final class RowLayout extends Layout {
  private static final Table HEADERS =
      new Table(VERSIONS, List.of("id", "version", "type", "type_version", "made"));
  private static final Table ATTRIBUTES =
      new Table("attribute_value", List.of("id", "version", "place", "stored"));

  @Override
  List<Table> tables() {
    return List.of(HEADERS, ATTRIBUTES, INDEXED);
  }

  @Override
  List<String> create(Dialect dialect) {
    return List.of(
        "CREATE TABLE object_version (id BIGINT NOT NULL, version INTEGER NOT NULL, type BIGINT NOT"
            + " NULL, type_version INTEGER NOT NULL, made BIGINT NOT NULL, PRIMARY KEY (id,"
            + " version))"
            + dialect.tableEnd(),
        "CREATE TABLE attribute_value (id BIGINT NOT NULL, version INTEGER NOT NULL, place SMALLINT"
            + " NOT NULL, stored "
            + dialect.longText()
            + " NOT NULL, PRIMARY KEY (id, version, place))"
            + dialect.tableEnd(),
        createIndexed(dialect));
  }

  @Override
  void rows(MetadataObject object, long madeMillis, Rows to) {
    ObjectType type = object.type();
    to.row(HEADERS, object.id(), object.version(), type.id(), type.version(), madeMillis);
    for (int place = 0; place < object.values().length; place++) {
      if (!type.attributes().get(place).indexed()) {
        String value = type.attributes().get(place).type().encode(object.values()[place]);
        to.row(ATTRIBUTES, object.id(), object.version(), place, value);
      }
    }
    indexedRows(object, to);
  }

  @Override
  String select(String where, boolean one) {
    String part =
        "SELECT v.id AS id, v.version AS version, v.type AS type, v.type_version AS type_version,"
            + " a.place AS place, a.stored AS stored FROM object_version v JOIN %s a ON a.id = v.id"
            + " AND a.version = v.version WHERE "
            + where;
    return String.format(part, "attribute_value")
        + " UNION ALL "
        + String.format(part, "indexed_value")
        + (one ? "" : " ORDER BY id, version");
  }

  @Override
  int parts() {
    return 2;
  }

  @Override
  Read read(ResultSet rows, Types types) throws SQLException, MetadataException {
    long id = rows.getLong(1);
    int version = rows.getInt(2);
    ObjectType type = types.of(rows.getLong(3), rows.getInt(4));
    Object[] values = new Object[type.attributes().size()];
    int read = 0;
    boolean more;
    do {
      int place = rows.getInt(5);
      if (place >= values.length || values[place] != null) {
        throw broken(id, version, "it has a value in place " + place + " that it cannot have");
      }
      values[place] = type.attributes().get(place).type().decode(rows.getString(6));
      read++;
      more = rows.next();
    } while (more && rows.getLong(1) == id && rows.getInt(2) == version);
    if (read != values.length) {
      throw broken(id, version, "it has " + read + " of " + values.length + " values");
    }
    return new Read(new MetadataObject(id, version, type, values), more);
  }
}
