package org.modelstress.hawk.query.lookup;

import java.util.List;
import java.util.Set;
import org.eclipse.epsilon.common.module.ModuleElement;
import org.eclipse.epsilon.eol.dom.CollectionLiteralExpression;
import org.eclipse.epsilon.eol.dom.EnumerationLiteralExpression;
import org.eclipse.epsilon.eol.dom.Expression;
import org.eclipse.epsilon.eol.dom.ExpressionInBrackets;
import org.eclipse.epsilon.eol.dom.FirstOrderOperationCallExpression;
import org.eclipse.epsilon.eol.dom.LiteralExpression;
import org.eclipse.epsilon.eol.dom.NameExpression;
import org.eclipse.epsilon.eol.dom.NegativeOperatorExpression;
import org.eclipse.epsilon.eol.dom.OperationCallExpression;
import org.eclipse.epsilon.eol.dom.OperatorExpression;
import org.eclipse.epsilon.eol.dom.PostfixOperatorExpression;
import org.eclipse.epsilon.eol.dom.PropertyCallExpression;
import org.eclipse.epsilon.eol.dom.TypeExpression;

/** What may be evaluated once, or in another order, without anybody noticing. */
final class Purity {
  private static final Set<String> PURE_CALLS =
      Set.of(
          "size",
          "isEmpty",
          "notEmpty",
          "first",
          "last",
          "at",
          "includes",
          "excludes",
          "indexOf",
          "includesAll",
          "excludesAll",
          "isDefined",
          "isUndefined",
          "isKindOf",
          "isTypeOf",
          "max",
          "min",
          "sum",
          "asInteger",
          "asReal",
          "asDouble",
          "asString",
          "abs",
          "floor",
          "ceiling",
          "round",
          "length",
          "toLowerCase",
          "toUpperCase",
          "startsWith",
          "endsWith",
          "contains",
          "substring",
          "trim",
          "asSet",
          "asSequence",
          "asBag",
          "asOrderedSet",
          "flatten",
          "all",
          "allInstances",
          "second",
          "third",
          "mod",
          "div");
  private static final Set<String> PURE_FIRST_ORDER =
      Set.of(
          "select",
          "reject",
          "exists",
          "forAll",
          "collect",
          "one",
          "none",
          "count",
          "selectOne",
          "closure",
          "sortBy");

  private Purity() {}

  /**
   * Whether evaluating an expression changes nothing and gives the same each time.
   *
   * @param declared operations of the query, which may have the name of a built-in one
   */
  static boolean isPure(Expression e, Set<String> declared) {
    boolean known =
        e instanceof LiteralExpression
            || e instanceof NameExpression
            || e instanceof PropertyCallExpression
            || e instanceof ExpressionInBrackets
            || e instanceof EnumerationLiteralExpression
            || e instanceof TypeExpression
            || e instanceof CollectionLiteralExpression
            || (e instanceof OperatorExpression && !(e instanceof PostfixOperatorExpression))
            || isPureCall(e, declared);
    return known && operands(e).stream().allMatch(operand -> isPure(operand, declared));
  }

  private static boolean isPureCall(Expression e, Set<String> declared) {
    if (e instanceof OperationCallExpression call) {
      return !call.isContextless()
          && PURE_CALLS.contains(call.getName())
          && !declared.contains(call.getName());
    }
    return e instanceof FirstOrderOperationCallExpression call
        && PURE_FIRST_ORDER.contains(call.getName())
        && !declared.contains(call.getName());
  }

  private static List<Expression> operands(Expression e) {
    return e.getChildren().stream()
        .filter(Expression.class::isInstance)
        .map(Expression.class::cast)
        .toList();
  }

  /** Whether a name stands anywhere in an expression. */
  static boolean uses(ModuleElement e, String name) {
    if (e instanceof NameExpression n && n.getName().equals(name) && !isFeatureName(n)) {
      return true;
    }
    return e.getChildren().stream().anyMatch(child -> uses(child, name));
  }

  private static boolean isFeatureName(NameExpression name) {
    return name.getParent() instanceof PropertyCallExpression call
        && call.getNameExpression() == name;
  }

  /** Whether a value is the same whatever happens in between. */
  static boolean isConstant(Expression e) {
    return e instanceof EnumerationLiteralExpression
        || (e instanceof LiteralExpression && !(e instanceof CollectionLiteralExpression))
        || (e instanceof ExpressionInBrackets brackets && isConstant(brackets.getExpression()))
        || (e instanceof NegativeOperatorExpression minus && isConstant(minus.getFirstOperand()));
  }
}
