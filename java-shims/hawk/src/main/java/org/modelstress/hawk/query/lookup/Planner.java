package org.modelstress.hawk.query.lookup;

import java.util.List;
import java.util.Set;
import org.eclipse.epsilon.eol.dom.AndOperatorExpression;
import org.eclipse.epsilon.eol.dom.EnumerationLiteralExpression;
import org.eclipse.epsilon.eol.dom.EqualsOperatorExpression;
import org.eclipse.epsilon.eol.dom.Expression;
import org.eclipse.epsilon.eol.dom.ExpressionInBrackets;
import org.eclipse.epsilon.eol.dom.GreaterEqualOperatorExpression;
import org.eclipse.epsilon.eol.dom.GreaterThanOperatorExpression;
import org.eclipse.epsilon.eol.dom.LessEqualOperatorExpression;
import org.eclipse.epsilon.eol.dom.LessThanOperatorExpression;
import org.eclipse.epsilon.eol.dom.NameExpression;
import org.eclipse.epsilon.eol.dom.NotEqualsOperatorExpression;
import org.eclipse.epsilon.eol.dom.NotOperatorExpression;
import org.eclipse.epsilon.eol.dom.OperatorExpression;
import org.eclipse.epsilon.eol.dom.OrOperatorExpression;
import org.eclipse.epsilon.eol.dom.PropertyCallExpression;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.graph.IndexType;
import org.modelstress.hawk.query.Fidelity;
import org.modelstress.hawk.query.GraphTokens;

/** Finds what indices can answer of a condition over the extent of a type. */
public final class Planner {
  private final GraphTokens tokens;
  private final Fidelity fidelity;
  private final Set<String> declared;
  private final Catalog.Type type;
  private final String variable;

  /**
   * A planner for conditions on one variable.
   *
   * @param declared names of the operations that the query declares
   * @param variable stands for each element of the type's extent
   */
  public Planner(
      GraphTokens tokens,
      Fidelity fidelity,
      Set<String> declared,
      Catalog.Type type,
      String variable) {
    this.tokens = tokens;
    this.fidelity = fidelity;
    this.declared = declared;
    this.type = type;
    this.variable = variable;
  }

  /**
   * Plans a condition; null if no index helps or the result could differ from plain evaluation,
   * errors and changes of collections included.
   */
  public Plan plan(Expression condition) {
    if (tokens.catalog().declarations().isEmpty()) {
      return null;
    }
    Plan plan = of(condition);
    if (plan == null || plan.residuals().stream().allMatch(r -> Purity.isPure(r, declared))) {
      return plan;
    }
    return plan.values().stream().allMatch(Purity::isConstant) ? plan : null;
  }

  private Plan of(Expression e) {
    if (e instanceof ExpressionInBrackets brackets) {
      return of(brackets.getExpression());
    }
    if (e instanceof AndOperatorExpression and) {
      return both(and);
    }
    if (e instanceof OrOperatorExpression or) {
      Plan first = of(or.getFirstOperand());
      Plan second = first == null ? null : of(or.getSecondOperand());
      return second == null ? null : new Plan.Either(first, second);
    }
    if (e instanceof NotOperatorExpression not) {
      Plan plan = of(not.getFirstOperand());
      return plan == null ? null : new Plan.Complement(plan);
    }
    if (e instanceof PropertyCallExpression) {
      return fidelity == Fidelity.PAPER ? null : truth(e);
    }
    Relation relation = relation(e);
    return relation == null ? null : comparison((OperatorExpression) e, relation);
  }

  /**
   * EOL evaluates the second operand only where the first is true. So a first operand that no index
   * serves may be exchanged with the second only if it never fails.
   */
  private Plan both(AndOperatorExpression and) {
    Plan first = of(and.getFirstOperand());
    Plan second = of(and.getSecondOperand());
    if (first != null) {
      return second == null
          ? new Plan.Filter(first, and.getSecondOperand())
          : new Plan.Both(first, second);
    }
    boolean exchange =
        second != null && second.residuals().isEmpty() && isTotal(and.getFirstOperand());
    return exchange ? new Plan.Filter(second, and.getFirstOperand()) : null;
  }

  private Plan truth(Expression e) {
    Catalog.Feature feature = attribute(e);
    AttributeDeclaration index = feature == null ? null : index(feature);
    return index == null
            || Lookups.type(feature) != IndexType.TRUTH
            || isUndefinedSomewhere(feature)
        ? null
        : new Plan.Lookup(feature, index, Relation.EQ, null);
  }

  /** Plain evaluation fails on elements where a condition has no value. */
  private boolean isUndefinedSomewhere(Catalog.Feature feature) {
    return feature instanceof Catalog.Derived derived
        ? !tokens.catalog().isComplete(derived.declaration())
        : Lookups.isNullable(feature);
  }

  private Plan comparison(OperatorExpression e, Relation relation) {
    Plan plan = comparison(e.getFirstOperand(), relation, e.getSecondOperand());
    return plan == null
        ? comparison(e.getSecondOperand(), relation.reversed(), e.getFirstOperand())
        : plan;
  }

  private Plan comparison(Expression attribute, Relation relation, Expression value) {
    Catalog.Feature feature = attribute(attribute);
    AttributeDeclaration index = feature == null ? null : index(feature);
    boolean served =
        index != null && !Purity.uses(value, variable) && Purity.isPure(value, declared);
    return served ? new Plan.Lookup(feature, index, relation, value) : null;
  }

  /** The single-valued attribute that {@code variable.name} means, or null. */
  private Catalog.Feature attribute(Expression e) {
    if (e instanceof ExpressionInBrackets brackets) {
      return attribute(brackets.getExpression());
    }
    boolean ofVariable =
        e instanceof PropertyCallExpression call
            && call.getTargetExpression() instanceof NameExpression name
            && name.getName().equals(variable);
    if (!ofVariable) {
      return null;
    }
    Catalog.Feature feature = tokens.feature(type, ((PropertyCallExpression) e).getName());
    return Lookups.type(feature) == null ? null : feature;
  }

  /** The index with the fewest other elements: that of the type itself first. */
  private AttributeDeclaration index(Catalog.Feature feature) {
    List<AttributeDeclaration> known = tokens.catalog().indicesOf(type, feature.name());
    return known.stream()
        .filter(d -> Lookups.isOf(d, type))
        .findFirst()
        .orElse(known.isEmpty() ? null : known.get(0));
  }

  /** Whether a condition is Boolean for every element of the type and never fails. */
  private boolean isTotal(Expression e) {
    if (e instanceof ExpressionInBrackets brackets) {
      return isTotal(brackets.getExpression());
    }
    if (e instanceof AndOperatorExpression || e instanceof OrOperatorExpression) {
      OperatorExpression both = (OperatorExpression) e;
      return isTotal(both.getFirstOperand()) && isTotal(both.getSecondOperand());
    }
    if (e instanceof NotOperatorExpression not) {
      return isTotal(not.getFirstOperand());
    }
    return relation(e) != null
        && isTotalValue(((OperatorExpression) e).getFirstOperand())
        && isTotalValue(((OperatorExpression) e).getSecondOperand());
  }

  private boolean isTotalValue(Expression e) {
    return Purity.isConstant(e) && !(e instanceof EnumerationLiteralExpression)
        || attribute(e) != null;
  }

  /** The comparison that an expression is, or null. */
  public static Relation relation(Expression e) {
    if (e instanceof EqualsOperatorExpression) {
      return Relation.EQ;
    }
    if (e instanceof NotEqualsOperatorExpression) {
      return Relation.NE;
    }
    if (e instanceof LessThanOperatorExpression) {
      return Relation.LT;
    }
    if (e instanceof LessEqualOperatorExpression) {
      return Relation.LE;
    }
    if (e instanceof GreaterThanOperatorExpression) {
      return Relation.GT;
    }
    return e instanceof GreaterEqualOperatorExpression ? Relation.GE : null;
  }
}
