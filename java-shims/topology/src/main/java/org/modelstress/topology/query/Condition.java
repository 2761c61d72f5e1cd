package org.modelstress.topology.query;

import java.util.List;

/** What objects of a query, a domain or a predicate check have in common. Null is equal to null. */
public sealed interface Condition {
  /** Whether an object has it. */
  boolean holds(Object[] values, List<?> parameters);

  /** Appends it as SQL; what marks stand for is added to the list. */
  void toSql(StringBuilder sql, List<Object> bound, List<?> parameters);

  /** How two values compare. */
  enum Comparator {
    EQUAL("="),
    NOT_EQUAL("<>"),
    LESS("<"),
    AT_MOST("<="),
    MORE(">"),
    AT_LEAST(">=");

    private final String sign;

    Comparator(String sign) {
      this.sign = sign;
    }

    /** As it is written, in queries and in SQL. */
    public String sign() {
      return sign;
    }

    /** The same with its sides exchanged. */
    Comparator mirrored() {
      return switch (this) {
        case LESS -> MORE;
        case AT_MOST -> AT_LEAST;
        case MORE -> LESS;
        case AT_LEAST -> AT_MOST;
        default -> this;
      };
    }

    private boolean holds(int order) {
      return switch (this) {
        case EQUAL -> order == 0;
        case NOT_EQUAL -> order != 0;
        case LESS -> order < 0;
        case AT_MOST -> order <= 0;
        case MORE -> order > 0;
        case AT_LEAST -> order >= 0;
      };
    }
  }

  /** One operand beside another. */
  record Comparison(Operand left, Comparator comparator, Operand right) implements Condition {
    @Override
    public boolean holds(Object[] values, List<?> parameters) {
      Object a = left.value(values, parameters);
      Object b = right.value(values, parameters);
      if (a == null || b == null) {
        boolean equal = a == b;
        return comparator == Comparator.EQUAL
            ? equal
            : comparator == Comparator.NOT_EQUAL && !equal;
      }
      return comparator.holds(Values.compare(a, b));
    }

    @Override
    public void toSql(StringBuilder sql, List<Object> bound, List<?> parameters) {
      left.toSql(sql, bound, parameters);
      switch (comparator) {
        case EQUAL -> sql.append(nullable(parameters) ? " IS NOT DISTINCT FROM " : " = ");
        case NOT_EQUAL -> sql.append(" IS DISTINCT FROM ");
        default -> sql.append(' ').append(comparator.sign()).append(' ');
      }
      right.toSql(sql, bound, parameters);
    }

    /** Whether both sides may be null: {@code =} can use an index, and is enough elsewhere. */
    private boolean nullable(List<?> parameters) {
      return isNullable(left, parameters) && isNullable(right, parameters);
    }

    private static boolean isNullable(Operand operand, List<?> parameters) {
      return !(operand instanceof Operand.Literal || operand instanceof Operand.Parameter)
          || operand.value(null, parameters) == null;
    }
  }

  /** All or any of some conditions. */
  record Several(boolean all, List<Condition> parts) implements Condition {
    @Override
    public boolean holds(Object[] values, List<?> parameters) {
      for (Condition part : parts) {
        if (part.holds(values, parameters) != all) {
          return !all;
        }
      }
      return all;
    }

    @Override
    public void toSql(StringBuilder sql, List<Object> bound, List<?> parameters) {
      sql.append('(');
      for (int i = 0; i < parts.size(); i++) {
        sql.append(i == 0 ? "" : all ? " AND " : " OR ");
        parts.get(i).toSql(sql, bound, parameters);
      }
      sql.append(')');
    }
  }

  /** The opposite of a condition. */
  record Not(Condition part) implements Condition {
    @Override
    public boolean holds(Object[] values, List<?> parameters) {
      return !part.holds(values, parameters);
    }

    @Override
    public void toSql(StringBuilder sql, List<Object> bound, List<?> parameters) {
      sql.append("NOT COALESCE("); // unknown to SQL is false here
      part.toSql(sql, bound, parameters);
      sql.append(", FALSE)");
    }
  }
}
