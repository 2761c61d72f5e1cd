package org.modelstress.hawk.query.lookup;

import org.eclipse.epsilon.eol.types.EolObjectComparator;
import org.eclipse.epsilon.eol.types.NumberUtil;

/** The comparisons of EOL. */
public enum Relation {
  EQ,
  NE,
  LT,
  LE,
  GT,
  GE;

  /** With exchanged operands. */
  public Relation reversed() {
    return switch (this) {
      case EQ -> EQ;
      case NE -> NE;
      case LT -> GT;
      case LE -> GE;
      case GT -> LT;
      case GE -> LE;
    };
  }

  /** Whether the comparison is true, as EOL has it: only numbers are greater or less. */
  public boolean holds(Object a, Object b) {
    if (a instanceof Integer x && b instanceof Integer y) {
      return holds(x.intValue(), y.intValue());
    }
    return switch (this) {
      case EQ -> EolObjectComparator.equals(a, b);
      case NE -> !EolObjectComparator.equals(a, b);
      case LT -> a instanceof Number x && b instanceof Number y && NumberUtil.lessThan(x, y);
      case GT -> a instanceof Number x && b instanceof Number y && NumberUtil.greaterThan(x, y);
      case LE -> LT.holds(a, b) || EQ.holds(a, b);
      case GE -> GT.holds(a, b) || EQ.holds(a, b);
    };
  }

  private boolean holds(int a, int b) {
    return switch (this) {
      case EQ -> a == b;
      case NE -> a != b;
      case LT -> a < b;
      case LE -> a <= b;
      case GT -> a > b;
      case GE -> a >= b;
    };
  }
}
