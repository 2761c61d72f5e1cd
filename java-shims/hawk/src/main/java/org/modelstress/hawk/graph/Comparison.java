package org.modelstress.hawk.graph;

/** How an index look-up compares an entry with the given value: {@code entry OP value}. */
public enum Comparison {
  EQ,
  LT,
  LE,
  GT,
  GE;

  /** The comparison with its operands exchanged: {@code 3 < x} is {@code x > 3}. */
  public Comparison reversed() {
    return switch (this) {
      case EQ -> EQ;
      case LT -> GT;
      case LE -> GE;
      case GT -> LT;
      case GE -> LE;
    };
  }

  /**
   * Whether it holds for an entry and a value.
   *
   * @param order negative, zero or positive as the entry is less, equal or greater
   */
  public boolean holds(int order) {
    return switch (this) {
      case EQ -> order == 0;
      case LT -> order < 0;
      case LE -> order <= 0;
      case GT -> order > 0;
      case GE -> order >= 0;
    };
  }
}
