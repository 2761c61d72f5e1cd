package org.modelstress.metadata.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.modelstress.metadata.objects.Attribute;
import org.modelstress.metadata.objects.JsonValues;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ObjectType;

/** One row with all values as a JSON object; values for discovery have rows of their own, too. */
final class DocumentLayout extends Layout {
  /** The column with JSON. */
  static final String BODY = "body";

  private static final JsonMapper JSON = new JsonMapper();
  private static final Table DOCUMENTS =
      new Table(VERSIONS, List.of("id", "version", "type", "type_version", "made", BODY));

  @Override
  List<Table> tables() {
    return List.of(DOCUMENTS, INDEXED);
  }

  @Override
  List<String> create(Dialect dialect) {
    return List.of(
        "CREATE TABLE object_version (id BIGINT NOT NULL, version INTEGER NOT NULL, type BIGINT NOT"
            + " NULL, type_version INTEGER NOT NULL, made BIGINT NOT NULL, body "
            + dialect.json()
            + " NOT NULL, PRIMARY KEY (id, version))"
            + dialect.tableEnd(),
        createIndexed(dialect));
  }

  @Override
  void rows(MetadataObject object, long madeMillis, Rows to) {
    ObjectType type = object.type();
    ObjectNode body = JSON.createObjectNode();
    for (int place = 0; place < object.values().length; place++) {
      body.set(type.attributes().get(place).name(), JsonValues.write(object.values()[place]));
    }
    to.row(
        DOCUMENTS,
        object.id(),
        object.version(),
        type.id(),
        type.version(),
        madeMillis,
        body.toString());
    indexedRows(object, to);
  }

  @Override
  String select(String where, boolean one) {
    return "SELECT v.id, v.version, v.type, v.type_version, v.body FROM object_version v WHERE "
        + where
        + (one ? "" : " ORDER BY v.id, v.version");
  }

  @Override
  int parts() {
    return 1;
  }

  @Override
  Read read(ResultSet rows, Types types) throws SQLException, MetadataException {
    long id = rows.getLong(1);
    int version = rows.getInt(2);
    ObjectType type = types.of(rows.getLong(3), rows.getInt(4));
    JsonNode body;
    try {
      body = JSON.readTree(rows.getString(5));
    } catch (JsonProcessingException e) {
      throw broken(id, version, "its document is no JSON");
    }
    List<Attribute> attributes = type.attributes();
    if (body.size() != attributes.size()) {
      throw broken(id, version, "it has " + body.size() + " of " + attributes.size() + " values");
    }
    Object[] values = new Object[attributes.size()];
    for (int place = 0; place < values.length; place++) {
      Attribute attribute = attributes.get(place);
      if (!body.has(attribute.name())) {
        throw broken(id, version, "it has no " + attribute.name());
      }
      values[place] = JsonValues.read(attribute, body.get(attribute.name()));
    }
    return new Read(new MetadataObject(id, version, type, values), rows.next());
  }
}
