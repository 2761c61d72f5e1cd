package org.modelstress.hawk.query.lookup;

import java.util.IdentityHashMap;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.set.mutable.primitive.LongHashSet;
import org.eclipse.epsilon.eol.dom.Expression;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Values;
import org.modelstress.hawk.graph.Comparison;
import org.modelstress.hawk.graph.IndexType;
import org.modelstress.hawk.query.CancelledSignal;
import org.modelstress.hawk.query.GraphAccess;

/** Runs a plan. */
public final class Lookups {
  /** How the expressions in a plan are evaluated. */
  public interface Evaluator {
    /**
     * The value of an expression that does not use the plan's variable.
     *
     * @throws Exception if it fails; plain evaluation then decides what that means
     */
    Object value(Expression expression) throws Exception;

    /**
     * Whether a condition holds for an element.
     *
     * @throws Exception if it fails, as plain evaluation would
     */
    boolean test(Expression condition, long node) throws Exception;
  }

  /** No index has the answer for the values of this evaluation. */
  private static final class NotServedException extends Exception {
    private static final long serialVersionUID = 1L;
    static final NotServedException INSTANCE = new NotServedException();

    private NotServedException() {
      super("not served", null, false, false);
    }
  }

  private final GraphAccess graph;
  private final Catalog.Type type;
  private final Evaluator evaluator;
  private final Map<Expression, Object> values = new IdentityHashMap<>();
  private LongArrayList extent;

  private Lookups(GraphAccess graph, Catalog.Type type, Evaluator evaluator) {
    this.graph = graph;
    this.type = type;
    this.evaluator = evaluator;
  }

  /**
   * The elements of a type that meet a planned condition, in containment order.
   *
   * @return null if plain evaluation must decide
   * @throws Exception what the evaluator throws for a residual condition
   */
  public static LongArrayList run(
      Plan plan, Catalog.Type type, GraphAccess graph, Evaluator evaluator) throws Exception {
    Lookups run = new Lookups(graph, type, evaluator);
    for (Expression value : plan.values()) {
      try {
        run.values.put(value, evaluator.value(value));
      } catch (CancelledSignal e) {
        throw e;
      } catch (Exception e) {
        return null; // plain evaluation fails, or never comes to it
      }
    }
    try {
      return run.hits(plan);
    } catch (NotServedException e) {
      return null;
    }
  }

  /** The index type of a single-valued attribute, null for other features. */
  static IndexType type(Catalog.Feature feature) {
    if (feature instanceof Catalog.Attribute attribute && !attribute.eAttribute().isMany()) {
      return Values.indexType(attribute.eAttribute());
    }
    return feature instanceof Catalog.Derived derived && !derived.declaration().many()
        ? derived.declaration().indexType()
        : null;
  }

  /** Whether an element can be without a value, so that no index has it. */
  static boolean isNullable(Catalog.Feature feature) {
    return !(feature instanceof Catalog.Attribute attribute) || attribute.fallback() == null;
  }

  static boolean isOf(AttributeDeclaration declaration, Catalog.Type type) {
    return declaration.type().equals(type.name())
        && declaration.metamodel().equals(type.eClass().getEPackage().getNsURI());
  }

  private LongArrayList hits(Plan plan) throws Exception {
    if (plan instanceof Plan.Lookup lookup) {
      return lookup(lookup, lookup.value() == null ? Boolean.TRUE : values.get(lookup.value()));
    }
    if (plan instanceof Plan.Both both) {
      LongHashSet second = new LongHashSet(hits(both.second()));
      return hits(both.first()).select(second::contains);
    }
    if (plan instanceof Plan.Either either) {
      return union(hits(either.first()), hits(either.second()));
    }
    if (plan instanceof Plan.Complement complement) {
      return complement(hits(complement.plan()));
    }
    Plan.Filter filter = (Plan.Filter) plan;
    LongArrayList kept = new LongArrayList();
    LongArrayList candidates = hits(filter.plan());
    for (int i = 0; i < candidates.size(); i++) {
      graph.step();
      if (evaluator.test(filter.residual(), candidates.get(i))) {
        kept.add(candidates.get(i));
      }
    }
    return kept;
  }

  private static LongArrayList union(LongArrayList a, LongArrayList b) {
    LongHashSet all = new LongHashSet(a);
    all.addAll(b);
    return new LongArrayList(all.toSortedArray());
  }

  private LongArrayList complement(LongArrayList hits) {
    if (extent == null) {
      extent = graph.extent(type);
    }
    LongHashSet without = new LongHashSet(hits);
    return extent.reject(without::contains);
  }

  private LongArrayList lookup(Plan.Lookup lookup, Object value) throws NotServedException {
    Relation relation = lookup.relation();
    IndexType indexType = type(lookup.attribute());
    if (value == null) {
      // undefined elements are equal to it, and they are in no index
      return nothing(relation == Relation.LT || relation == Relation.GT);
    }
    if (relation == Relation.NE && isNullable(lookup.attribute())) {
      return complement(comparable(lookup, indexType, Relation.EQ, value));
    }
    return comparable(lookup, indexType, relation, value);
  }

  private static LongArrayList nothing(boolean served) throws NotServedException {
    if (!served) {
      throw NotServedException.INSTANCE;
    }
    return new LongArrayList();
  }

  private LongArrayList comparable(
      Plan.Lookup lookup, IndexType indexType, Relation relation, Object value)
      throws NotServedException {
    boolean matches =
        switch (indexType) {
          case TRUTH -> value instanceof Boolean;
          case TEXT -> value instanceof String;
          case WHOLE, REAL -> value instanceof Number;
        };
    if (!matches) {
      // values of different types are neither equal nor less nor greater
      return relation == Relation.NE ? complement(new LongArrayList()) : new LongArrayList();
    }
    return switch (indexType) {
      case TRUTH -> truth(lookup, relation, (Boolean) value);
      case TEXT -> text(lookup, relation, value);
      case WHOLE -> whole(lookup, relation, (Number) value);
      case REAL -> real(lookup, relation, (Number) value);
    };
  }

  private LongArrayList truth(Plan.Lookup lookup, Relation relation, Boolean value) {
    return switch (relation) {
      case LT, GT -> new LongArrayList(); // EOL orders numbers only
      case NE -> find(lookup, Comparison.EQ, !value);
      default -> find(lookup, Comparison.EQ, value);
    };
  }

  private LongArrayList text(Plan.Lookup lookup, Relation relation, Object value) {
    return switch (relation) {
      case LT, GT -> new LongArrayList();
      case NE -> outside(lookup, value);
      default -> find(lookup, Comparison.EQ, value);
    };
  }

  private LongArrayList outside(Plan.Lookup lookup, Object value) {
    return union(find(lookup, Comparison.LT, value), find(lookup, Comparison.GT, value));
  }

  /** EOL compares as floating-point numbers where one is: exact only for small enough ones. */
  private LongArrayList whole(Plan.Lookup lookup, Relation relation, Number value)
      throws NotServedException {
    if (value instanceof Integer || value instanceof Long) {
      return relation == Relation.NE
          ? outside(lookup, value.longValue())
          : find(lookup, comparison(relation), value.longValue());
    }
    double number = value.doubleValue();
    double exact = value instanceof Double ? 1L << 53 : value instanceof Float ? 1 << 24 : 0;
    if (!(Math.abs(number) < exact)) {
      throw NotServedException.INSTANCE;
    }
    boolean between = number != Math.rint(number);
    long floor = (long) Math.floor(number);
    return switch (relation) {
      case EQ -> between ? new LongArrayList() : find(lookup, Comparison.EQ, floor);
      case NE -> between ? complement(new LongArrayList()) : outside(lookup, floor);
      case LT -> find(lookup, between ? Comparison.LE : Comparison.LT, floor);
      case LE -> find(lookup, Comparison.LE, floor);
      case GT -> find(lookup, Comparison.GT, floor);
      case GE -> find(lookup, between ? Comparison.GT : Comparison.GE, floor);
    };
  }

  /** More than enough from the index, then each value as EOL compares it: NaN, both zeros. */
  private LongArrayList real(Plan.Lookup lookup, Relation relation, Number value)
      throws NotServedException {
    double number = value.doubleValue();
    boolean exact =
        value instanceof Integer
            || value instanceof Long
            || value instanceof Float
            || value instanceof Double;
    if (!exact || Double.isNaN(number) || relation == Relation.NE) {
      throw NotServedException.INSTANCE;
    }
    LongArrayList found =
        switch (relation) {
          case EQ ->
              number == 0
                  ? union(find(lookup, Comparison.EQ, 0.0), find(lookup, Comparison.EQ, -0.0))
                  : find(lookup, Comparison.EQ, number);
          case LT, LE -> find(lookup, Comparison.LE, number == 0 ? 0.0 : number);
          default -> find(lookup, Comparison.GE, number == 0 ? -0.0 : number);
        };
    return found.select(node -> relation.holds(graph.get(node, lookup.attribute()), value));
  }

  private LongArrayList find(Plan.Lookup lookup, Comparison comparison, Object value) {
    boolean same = isOf(lookup.index(), type);
    return graph.lookup(lookup.index().index(), comparison, value, type, same);
  }

  private static Comparison comparison(Relation relation) {
    return switch (relation) {
      case EQ -> Comparison.EQ;
      case LT -> Comparison.LT;
      case LE -> Comparison.LE;
      case GT -> Comparison.GT;
      case GE -> Comparison.GE;
      case NE -> throw new IllegalArgumentException("no look-up for <>");
    };
  }
}
