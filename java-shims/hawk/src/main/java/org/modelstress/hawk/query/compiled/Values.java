package org.modelstress.hawk.query.compiled;

import java.util.Collection;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import org.eclipse.epsilon.eol.types.EolObjectComparator;
import org.eclipse.epsilon.eol.types.NumberUtil;
import org.modelstress.hawk.query.Element;
import org.modelstress.hawk.query.lookup.Relation;

/** Literals, variables and operators. */
final class Values {
  private Values() {}

  static final class Constant extends Node {
    private final Object value;

    Constant(Object value) {
      this.value = value;
    }

    @Override
    Object eval(Frame frame) {
      return value;
    }
  }

  static final class Read extends Node {
    private final Scope.Variable variable;

    Read(Scope.Variable variable) {
      this.variable = variable;
    }

    @Override
    Object eval(Frame frame) {
      return frame.slots[variable.slot()];
    }

    @Override
    Shape shape() {
      return variable.shape();
    }
  }

  /** Conditions. */
  abstract static class Condition extends Node {
    @Override
    abstract boolean test(Frame frame);

    @Override
    final Object eval(Frame frame) {
      return test(frame);
    }
  }

  static final class And extends Condition {
    private final Node first;
    private final Node second;

    And(Node first, Node second) {
      this.first = first;
      this.second = second;
    }

    @Override
    boolean test(Frame frame) {
      return first.test(frame) && second.test(frame);
    }
  }

  static final class Or extends Condition {
    private final Node first;
    private final Node second;

    Or(Node first, Node second) {
      this.first = first;
      this.second = second;
    }

    @Override
    boolean test(Frame frame) {
      return first.test(frame) || second.test(frame);
    }
  }

  static final class Xor extends Condition {
    private final Node first;
    private final Node second;

    Xor(Node first, Node second) {
      this.first = first;
      this.second = second;
    }

    @Override
    boolean test(Frame frame) {
      return first.test(frame) ^ second.test(frame);
    }
  }

  static final class Not extends Condition {
    private final Node operand;

    Not(Node operand) {
      this.operand = operand;
    }

    @Override
    boolean test(Frame frame) {
      return !operand.test(frame);
    }
  }

  static final class Compare extends Condition {
    private final Node first;
    private final Relation relation;
    private final Node second;

    Compare(Node first, Relation relation, Node second) {
      this.first = first;
      this.relation = relation;
      this.second = second;
    }

    @Override
    boolean test(Frame frame) {
      Object a = first.eval(frame);
      Object b = second.eval(frame);
      if (a instanceof Collection || b instanceof Collection) {
        throw Bailout.INSTANCE; // equality of collections depends on their classes
      }
      return relation.holds(a, b);
    }
  }

  static final class Equal extends Condition {
    private final Node first;
    private final Node second;

    Equal(Node first, Node second) {
      this.first = first;
      this.second = second;
    }

    @Override
    boolean test(Frame frame) {
      Object a = first.eval(frame);
      Object b = second.eval(frame);
      if (a instanceof Element x && b instanceof Element y) {
        return x.node() == y.node();
      }
      if (a instanceof String x && b instanceof String y) {
        return x.equals(y);
      }
      if (a instanceof Collection || b instanceof Collection) {
        throw Bailout.INSTANCE;
      }
      return EolObjectComparator.equals(a, b);
    }
  }

  static final class Arithmetic extends Node {
    private final Node first;
    private final BinaryOperator<Number> operator;
    private final Node second;

    Arithmetic(Node first, BinaryOperator<Number> operator, Node second) {
      this.first = first;
      this.operator = operator;
      this.second = second;
    }

    @Override
    Object eval(Frame frame) {
      Object a = first.eval(frame);
      Object b = second.eval(frame);
      if (a instanceof Number x && b instanceof Number y) {
        try {
          return operator.apply(x, y);
        } catch (ArithmeticException e) {
          throw Bailout.INSTANCE;
        }
      }
      throw Bailout.INSTANCE;
    }
  }

  static final class Negative extends Node {
    private final Node operand;

    Negative(Node operand) {
      this.operand = operand;
    }

    @Override
    Object eval(Frame frame) {
      Object value = operand.eval(frame);
      return value instanceof Number number ? NumberUtil.negative(number) : value;
    }
  }

  static final class Conditional extends Node {
    private final Node condition;
    private final Node then;
    private final Node otherwise;

    Conditional(Node condition, Node then, Node otherwise) {
      this.condition = condition;
      this.then = then;
      this.otherwise = otherwise;
    }

    @Override
    Object eval(Frame frame) {
      return condition.test(frame) ? then.eval(frame) : otherwise.eval(frame);
    }
  }

  /** {@code a ?: b}. */
  static final class Elvis extends Node {
    private final Node first;
    private final Node second;

    Elvis(Node first, Node second) {
      this.first = first;
      this.second = second;
    }

    @Override
    Object eval(Frame frame) {
      Object value = first.eval(frame);
      return value == null ? second.eval(frame) : value;
    }
  }

  static final class Fresh extends Node {
    private final Supplier<Object> make;

    Fresh(Supplier<Object> make) {
      this.make = make;
    }

    @Override
    Object eval(Frame frame) {
      return make.get();
    }
  }

  static final class CollectionOf extends Node {
    private final Supplier<Collection<Object>> make;
    private final Node[] parts;

    CollectionOf(Supplier<Collection<Object>> make, Node[] parts) {
      this.make = make;
      this.parts = parts;
    }

    @Override
    Object eval(Frame frame) {
      Collection<Object> collection = make.get();
      for (Node part : parts) {
        collection.add(part.eval(frame));
      }
      return collection;
    }
  }
}
