package org.modelstress.hawk.query.compiled;

import java.util.Collection;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.epsilon.eol.dom.Expression;
import org.eclipse.epsilon.eol.types.EolBag;
import org.eclipse.epsilon.eol.types.EolCollectionType;
import org.eclipse.epsilon.eol.types.EolSequence;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.query.Element;
import org.modelstress.hawk.query.NodeList;
import org.modelstress.hawk.query.lookup.Lookups;
import org.modelstress.hawk.query.lookup.Plan;

/** Operations with a lambda over a collection. */
final class Searches {
  private Searches() {}

  /**
   * A collection and what is evaluated for each of its members.
   *
   * @param type only its instances count; null for everything
   */
  record Lambda(Node source, int slot, Catalog.Type type, Node body) {
    Object source(Frame frame) {
      Object value = source.eval(frame);
      if (value instanceof Collection) {
        return value;
      }
      throw Bailout.INSTANCE;
    }

    boolean accepts(Frame frame, Object member) {
      frame.graph.step();
      return type == null
          || (member instanceof Element element && frame.graph.isKindOf(element.node(), type));
    }

    boolean test(Frame frame, Object member) {
      frame.slots[slot] = member;
      return body.test(frame);
    }
  }

  /** {@code select}, {@code reject}. */
  static final class Select extends Node {
    private final Lambda lambda;
    private final boolean expected;
    private final Shape shape;

    Select(Lambda lambda, boolean expected, Shape shape) {
      this.lambda = lambda;
      this.expected = expected;
      this.shape = shape;
    }

    @Override
    Object eval(Frame frame) {
      Object source = lambda.source(frame);
      if (source instanceof NodeList list) {
        return new NodeList(select(frame, list.nodes()));
      }
      Collection<?> in = (Collection<?>) source;
      Collection<Object> selected = Calls.same(in);
      for (Object member : in) {
        if (lambda.accepts(frame, member) && lambda.test(frame, member) == expected) {
          selected.add(member);
        }
      }
      return selected;
    }

    private LongArrayList select(Frame frame, LongArrayList nodes) {
      LongArrayList selected = new LongArrayList();
      for (int i = 0; i < nodes.size(); i++) {
        Element member = new Element(nodes.get(i));
        if (lambda.accepts(frame, member) && lambda.test(frame, member) == expected) {
          selected.add(member.node());
        }
      }
      return selected;
    }

    @Override
    Shape shape() {
      return shape;
    }
  }

  /** {@code select} over the extent of a type, from indices. */
  static final class IndexedSelect extends Node {
    private final Lookup lookup;
    private final Select plain;

    IndexedSelect(Lookup lookup, Select plain) {
      this.lookup = lookup;
      this.plain = plain;
    }

    @Override
    Object eval(Frame frame) {
      LongArrayList hits = lookup.hits(frame);
      return hits == null ? plain.eval(frame) : new NodeList(hits);
    }

    @Override
    Shape shape() {
      return plain.shape();
    }
  }

  /** What a search for members ends with. */
  enum Goal {
    EXISTS,
    FOR_ALL,
    NONE,
    ONE,
    COUNT,
    SELECT_ONE
  }

  /** Operations that look for members without collecting them. */
  static final class Search extends Node {
    private final Lambda lambda;
    private final Goal goal;

    Search(Lambda lambda, Goal goal) {
      this.lambda = lambda;
      this.goal = goal;
    }

    @Override
    Object eval(Frame frame) {
      Collection<?> in = (Collection<?>) lambda.source(frame);
      int found = 0;
      for (Object member : in) {
        if (lambda.accepts(frame, member) && lambda.test(frame, member) == (goal != Goal.FOR_ALL)) {
          found++;
          if (goal == Goal.SELECT_ONE) {
            return member;
          }
          if (goal != Goal.COUNT && (goal != Goal.ONE || found > 1)) {
            break;
          }
        }
      }
      return switch (goal) {
        case EXISTS -> found > 0;
        case FOR_ALL, NONE -> found == 0;
        case ONE -> found == 1;
        case COUNT -> found;
        case SELECT_ONE -> null;
      };
    }

    @Override
    Shape shape() {
      return goal == Goal.SELECT_ONE ? Shape.one(lambda.source().shape().content()) : Shape.ANY;
    }
  }

  static final class Collect extends Node {
    private final Lambda lambda;

    Collect(Lambda lambda) {
      this.lambda = lambda;
    }

    @Override
    Object eval(Frame frame) {
      Collection<?> in = (Collection<?>) lambda.source(frame);
      boolean ordered = EolCollectionType.isOrdered(in);
      Collection<Object> collected = ordered ? new EolSequence<>() : new EolBag<>();
      for (Object member : in) {
        if (lambda.accepts(frame, member)) {
          frame.slots[lambda.slot()] = member;
          collected.add(lambda.body().eval(frame));
        }
      }
      return collected;
    }

    @Override
    Shape shape() {
      return Shape.many(lambda.body().shape().element());
    }
  }

  /** A condition over the extent of a type that indices answer. */
  static final class Lookup {
    private final Plan plan;
    private final Catalog.Type type;
    private final int slot;
    private final Map<Expression, Node> parts;

    /**
     * A planned condition.
     *
     * @param slot of the variable that stands for the element
     * @param parts the plan's expressions compiled
     */
    Lookup(Plan plan, Catalog.Type type, int slot, Map<Expression, Node> parts) {
      this.plan = plan;
      this.type = type;
      this.slot = slot;
      this.parts = parts;
    }

    /** The elements that meet the condition; null if plain evaluation must decide. */
    LongArrayList hits(Frame frame) {
      if (frame.graph.isObserved()) {
        return null; // what an index has read cannot be told exactly
      }
      try {
        return Lookups.run(plan, type, frame.graph, new Evaluation(frame, slot, parts));
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private record Evaluation(Frame frame, int slot, Map<Expression, Node> parts)
      implements Lookups.Evaluator {
    @Override
    public Object value(Expression expression) {
      return parts.get(expression).eval(frame);
    }

    @Override
    public boolean test(Expression condition, long node) {
      frame.slots[slot] = new Element(node);
      return parts.get(condition).test(frame);
    }
  }
}
