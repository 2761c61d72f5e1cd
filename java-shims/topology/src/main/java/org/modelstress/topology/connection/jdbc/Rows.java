package org.modelstress.topology.connection.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.modelstress.topology.data.ObjectState;
import org.modelstress.topology.query.Queries;
import org.modelstress.topology.query.QueryException;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.schema.Schema;
import org.modelstress.topology.wire.Reply.End;
import org.modelstress.topology.wire.Reply.Ended;
import org.modelstress.topology.wire.Write;

/** Reads and writes objects of a store by an open JDBC connection. */
final class Rows {
  private final Schema schema;
  private final Queries queries;
  private final int store;

  Rows(Schema schema, Queries queries, int store) {
    this.schema = schema;
    this.queries = queries;
    this.store = store;
  }

  ArrayList<ObjectState> read(Connection connection, ObjectType type, Sql sql) throws SQLException {
    try (PreparedStatement statement = bound(connection, sql);
        ResultSet rows = statement.executeQuery()) {
      ArrayList<ObjectState> objects = new ArrayList<>();
      while (rows.next()) {
        objects.add(state(rows, type));
      }
      return objects;
    }
  }

  private ObjectState state(ResultSet row, ObjectType type) throws SQLException {
    Object[] values = new Object[type.attributes().size()];
    for (int place = 0; place < values.length; place++) {
      values[place] = value(row, place + 3, type, place);
    }
    return new ObjectState(type.code(), row.getLong(1), row.getInt(2), store, values);
  }

  private static Object value(ResultSet row, int column, ObjectType type, int place)
      throws SQLException {
    Object value =
        switch (type.attribute(place).type()) {
          case STRING -> row.getString(column);
          case BOOL -> row.getBoolean(column);
          case SHORT -> row.getShort(column);
          case INT -> row.getInt(column);
          case LONG, REFERENCE -> row.getLong(column);
          case FLOAT -> row.getFloat(column);
          case DOUBLE -> row.getDouble(column);
        };
    return row.wasNull() ? null : value;
  }

  /**
   * Writes all, up to the first whose checks do not hold.
   *
   * @return committed where all were written
   */
  Ended write(Connection connection, List<Write> writes) throws SQLException, QueryException {
    for (Write write : writes) {
      ObjectType type = schema.type(write.type());
      try (PreparedStatement statement = bound(connection, Sql.write(write, type, queries))) {
        if (statement.executeUpdate() != 1) {
          return refused(connection, write, type);
        }
      }
    }
    return Ended.COMMITTED;
  }

  private Ended refused(Connection connection, Write write, ObjectType type) throws SQLException {
    String object = type + " " + Long.toHexString(write.oid());
    if (!write.predicates().isEmpty()) {
      try (PreparedStatement statement = bound(connection, Sql.exists(write, type));
          ResultSet row = statement.executeQuery()) {
        if (row.next()) {
          return new Ended(End.PREDICATE, "a predicate does not hold of " + object);
        }
      }
    }
    return new Ended(End.VERSION, object + " was written or deleted by another transaction");
  }

  private static PreparedStatement bound(Connection connection, Sql sql) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql.text());
    for (int i = 0; i < sql.values().size(); i++) {
      statement.setObject(i + 1, sql.values().get(i));
    }
    return statement;
  }
}
