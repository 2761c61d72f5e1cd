package org.modelstress.mogwai.agreement;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A generated expression: text with sub-expressions in between.
 *
 * @param type of its value
 * @param constructs names of what its own text is an example of
 * @param pieces Strings and Expressions, in order
 */
record Expression(OclType type, List<String> constructs, List<Object> pieces) {
  static Expression of(OclType type, String construct, Object... pieces) {
    return new Expression(type, List.of(construct), List.of(pieces));
  }

  /** The same with one more construct. */
  Expression and(String construct) {
    List<String> more = new ArrayList<>(constructs);
    more.add(construct);
    return new Expression(type, more, pieces);
  }

  List<Expression> parts() {
    return pieces.stream()
        .filter(Expression.class::isInstance)
        .map(Expression.class::cast)
        .toList();
  }

  /** The same with another sub-expression at a piece. */
  Expression with(int piece, Expression part) {
    List<Object> others = new ArrayList<>(pieces);
    others.set(piece, part);
    return new Expression(type, constructs, others);
  }

  /** Number of expressions in it, itself included. */
  int size() {
    int size = 1;
    for (Expression part : parts()) {
      size += part.size();
    }
    return size;
  }

  /** What it and its parts are examples of. */
  Set<String> allConstructs() {
    Set<String> all = new TreeSet<>(constructs);
    parts().forEach(part -> all.addAll(part.allConstructs()));
    return all;
  }

  /** OCL. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    pieces.forEach(text::append);
    return text.toString();
  }
}
