package org.modelstress.hawk.query.lookup;

import java.util.List;
import java.util.stream.Stream;
import org.eclipse.epsilon.eol.dom.Expression;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.Catalog;

/** How a condition over the extent of a type is answered from indices. */
public sealed interface Plan {
  /** The expressions whose values are looked up. */
  List<Expression> values();

  /** The parts that are evaluated on hits. */
  List<Expression> residuals();

  /** The comparisons in it. */
  default List<Lookup> lookups() {
    if (this instanceof Lookup lookup) {
      return List.of(lookup);
    }
    if (this instanceof Both both) {
      return join(both.first().lookups(), both.second().lookups());
    }
    if (this instanceof Either either) {
      return join(either.first().lookups(), either.second().lookups());
    }
    return this instanceof Complement complement
        ? complement.plan().lookups()
        : ((Filter) this).plan().lookups();
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
    public List<Expression> values() {
      return value == null ? List.of() : List.of(value);
    }

    @Override
    public List<Expression> residuals() {
      return List.of();
    }
  }

  /** Both conditions. */
  record Both(Plan first, Plan second) implements Plan {
    @Override
    public List<Expression> values() {
      return join(first.values(), second.values());
    }

    @Override
    public List<Expression> residuals() {
      return join(first.residuals(), second.residuals());
    }
  }

  /** At least one of the conditions. */
  record Either(Plan first, Plan second) implements Plan {
    @Override
    public List<Expression> values() {
      return join(first.values(), second.values());
    }

    @Override
    public List<Expression> residuals() {
      return join(first.residuals(), second.residuals());
    }
  }

  /** Not the condition. */
  record Complement(Plan plan) implements Plan {
    @Override
    public List<Expression> values() {
      return plan.values();
    }

    @Override
    public List<Expression> residuals() {
      return plan.residuals();
    }
  }

  /** The condition, and on its hits another one that no index serves. */
  record Filter(Plan plan, Expression residual) implements Plan {
    @Override
    public List<Expression> values() {
      return plan.values();
    }

    @Override
    public List<Expression> residuals() {
      return join(plan.residuals(), List.of(residual));
    }
  }

  private static <T> List<T> join(List<T> a, List<T> b) {
    return Stream.concat(a.stream(), b.stream()).toList();
  }
}
