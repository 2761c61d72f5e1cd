package org.modelstress.hawk.query.lookup;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.eclipse.epsilon.eol.dom.Expression;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.Catalog;

/** How a condition over the extent of a type is answered from indices. */
public sealed interface Plan {
  /** The plans that it is made of. */
  List<Plan> parts();

  /** The expressions whose values are looked up. */
  default List<Expression> values() {
    return joined(Plan::values);
  }

  /** The parts of the condition that are evaluated on hits. */
  default List<Expression> residuals() {
    return joined(Plan::residuals);
  }

  /** The comparisons in it. */
  default List<Lookup> lookups() {
    return joined(Plan::lookups);
  }

  private <T> List<T> joined(Function<Plan, List<T>> of) {
    return parts().stream().flatMap(part -> of.apply(part).stream()).toList();
  }

  /**
   * A comparison of an attribute with a value.
   *
   * @param index the declaration whose index has the attribute
   * @param value null for {@code true}: the attribute alone is the condition
   */
  record Lookup(
      Catalog.Feature attribute, AttributeDeclaration index, Relation relation, Expression value)
      implements Plan {
    @Override
    public List<Plan> parts() {
      return List.of();
    }

    @Override
    public List<Expression> values() {
      return value == null ? List.of() : List.of(value);
    }

    @Override
    public List<Lookup> lookups() {
      return List.of(this);
    }
  }

  /** Both conditions. */
  record Both(Plan first, Plan second) implements Plan {
    @Override
    public List<Plan> parts() {
      return List.of(first, second);
    }
  }

  /** At least one of the conditions. */
  record Either(Plan first, Plan second) implements Plan {
    @Override
    public List<Plan> parts() {
      return List.of(first, second);
    }
  }

  /** Not the condition. */
  record Complement(Plan plan) implements Plan {
    @Override
    public List<Plan> parts() {
      return List.of(plan);
    }
  }

  /** The condition, and on its hits another one that no index serves. */
  record Filter(Plan plan, Expression residual) implements Plan {
    @Override
    public List<Plan> parts() {
      return List.of(plan);
    }

    @Override
    public List<Expression> residuals() {
      return Stream.concat(plan.residuals().stream(), Stream.of(residual)).toList();
    }
  }
}
