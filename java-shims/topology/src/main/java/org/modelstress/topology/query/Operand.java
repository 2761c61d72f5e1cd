package org.modelstress.topology.query;

import java.util.List;
import org.modelstress.topology.schema.ObjectType;

/** One side of a comparison. */
public sealed interface Operand {
  /**
   * Its value for an object.
   *
   * @param values of the object's attributes
   * @param parameters of the query
   */
  Object value(Object[] values, List<?> parameters);

  /** Appends it as SQL; parameters are added to the list in the order of their marks. */
  void toSql(StringBuilder sql, List<Object> bound, List<?> parameters);

  /** An attribute of the queried type. */
  record Column(ObjectType type, int place) implements Operand {
    @Override
    public Object value(Object[] values, List<?> parameters) {
      return values[place];
    }

    @Override
    public void toSql(StringBuilder sql, List<Object> bound, List<?> parameters) {
      sql.append('"').append(type.attribute(place).name()).append('"');
    }
  }

  /** A literal. */
  record Literal(Object literal) implements Operand {
    @Override
    public Object value(Object[] values, List<?> parameters) {
      return literal;
    }

    @Override
    public void toSql(StringBuilder sql, List<Object> bound, List<?> parameters) {
      sql.append('?');
      bound.add(literal);
    }
  }

  /** A question mark: the parameter with this number, from 0. */
  record Parameter(int number) implements Operand {
    @Override
    public Object value(Object[] values, List<?> parameters) {
      return parameters.get(number);
    }

    @Override
    public void toSql(StringBuilder sql, List<Object> bound, List<?> parameters) {
      sql.append('?');
      bound.add(parameters.get(number));
    }
  }

  /** A sum or difference of numbers; null where one side is. */
  record Sum(Operand left, boolean minus, Operand right) implements Operand {
    @Override
    public Object value(Object[] values, List<?> parameters) {
      Object a = left.value(values, parameters);
      Object b = right.value(values, parameters);
      if (!(a instanceof Number first) || !(b instanceof Number second)) {
        return null;
      }
      if (isWhole(first) && isWhole(second)) {
        return minus
            ? Math.subtractExact(first.longValue(), second.longValue())
            : Math.addExact(first.longValue(), second.longValue());
      }
      double other = second.doubleValue();
      return first.doubleValue() + (minus ? -other : other);
    }

    private static boolean isWhole(Number number) {
      return !(number instanceof Double) && !(number instanceof Float);
    }

    @Override
    public void toSql(StringBuilder sql, List<Object> bound, List<?> parameters) {
      sql.append('(');
      left.toSql(sql, bound, parameters);
      sql.append(minus ? " - " : " + ");
      right.toSql(sql, bound, parameters);
      sql.append(')');
    }
  }
}
