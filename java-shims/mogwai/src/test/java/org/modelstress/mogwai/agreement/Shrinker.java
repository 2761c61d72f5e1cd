package org.modelstress.mogwai.agreement;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Makes an expression smaller as long as something stays true of it. */
final class Shrinker {
  private static final int MOST_TRIES = 3000;

  private final Predicate<Expression> fails;
  private int tries;

  private Shrinker(Predicate<Expression> fails) {
    this.fails = fails;
  }

  /**
   * The smallest expression found.
   *
   * @param fails asked for candidates that may not even be OCL
   */
  static Expression shrink(Expression expression, Predicate<Expression> fails) {
    Shrinker shrinker = new Shrinker(fails);
    Expression smallest = expression;
    Expression smaller = expression;
    while (smaller != null) {
      smallest = smaller;
      smaller = shrinker.step(smallest);
    }
    return smallest;
  }

  /** A smaller one, or null. */
  private Expression step(Expression expression) {
    for (Expression candidate : candidates(expression)) {
      if (candidate.toString().length() < expression.toString().length()
          && tries++ < MOST_TRIES
          && fails.test(candidate)) {
        return candidate;
      }
    }
    return null;
  }

  /** Sub-expressions first, then the same with something smaller inside. */
  private static List<Expression> candidates(Expression expression) {
    List<Expression> candidates = new ArrayList<>();
    collect(expression, candidates);
    for (String literal : literals(expression.type())) {
      candidates.add(new Expression(expression.type(), List.of(), List.of(literal)));
    }
    for (int i = 0; i < expression.pieces().size(); i++) {
      if (expression.pieces().get(i) instanceof Expression part) {
        for (Expression smaller : candidates(part)) {
          if (smaller.type().fits(part.type()) || part.type().fits(smaller.type())) {
            candidates.add(expression.with(i, smaller));
          }
        }
      } else if (i > 0 && i + 2 < expression.pieces().size()) {
        withoutItem(expression, i, candidates);
      }
    }
    return candidates;
  }

  private static void collect(Expression expression, List<Expression> all) {
    for (Expression part : expression.parts()) {
      all.add(part);
    }
    expression.parts().forEach(part -> collect(part, all));
  }

  /** A literal without one of its items. */
  private static void withoutItem(Expression expression, int comma, List<Expression> all) {
    if (expression.pieces().get(comma).equals(", ")) {
      List<Object> fewer = new ArrayList<>(expression.pieces());
      fewer.remove(comma);
      fewer.remove(comma);
      all.add(new Expression(expression.type(), expression.constructs(), fewer));
    }
  }

  private static List<String> literals(OclType type) {
    return switch (type.kind()) {
      case BOOLEAN -> List.of("true", "false");
      case INTEGER -> List.of("1", "0");
      case REAL -> List.of("1.0", "0.5");
      case STRING -> List.of("''", "'a'");
      case ENUMERATION -> List.of("farm::Colour::red");
      default -> List.of();
    };
  }
}
