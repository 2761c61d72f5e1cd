package org.modelstress.hawk.query.epsilon;

import java.util.Collection;
import java.util.List;
import org.eclipse.epsilon.common.module.ModuleElement;
import org.eclipse.epsilon.eol.dom.CollectionLiteralExpression;
import org.eclipse.epsilon.eol.dom.EqualsOperatorExpression;
import org.eclipse.epsilon.eol.dom.Expression;
import org.eclipse.epsilon.eol.dom.NotEqualsOperatorExpression;
import org.eclipse.epsilon.eol.dom.PlusOperatorExpression;
import org.eclipse.epsilon.eol.exceptions.EolRuntimeException;
import org.eclipse.epsilon.eol.execute.ExecutorFactory;
import org.eclipse.epsilon.eol.execute.context.IEolContext;
import org.modelstress.hawk.query.Weight;

/** Epsilon's expressions that could take for ever, or fill the memory, in one step. */
final class BoundedExpressions {
  private static final int MOST_ELEMENTS = 10_000_000;

  private BoundedExpressions() {}

  private static void check(Object value, ModuleElement ast) throws EolRuntimeException {
    if (!Weight.isBounded(value)) {
      throw BoundedCall.tooMany(ast);
    }
  }

  /** {@code Sequence{1..n}}, {@code Set{a, b}}. */
  static final class Literal extends CollectionLiteralExpression<Object> {
    @Override
    public Collection<Object> execute(IEolContext context) throws EolRuntimeException {
      Collection<Object> all = createCollection(getCollectionType());
      if (all == null) {
        return super.execute(context); // which says so
      }
      ExecutorFactory executor = context.getExecutorFactory();
      List<Expression> parts = getParameterExpressions();
      if (!isRange()) {
        for (Expression part : parts) {
          Object value = executor.execute(part, context);
          check(value, part);
          all.add(value);
        }
        return all;
      }
      Object first = executor.execute(parts.get(0), context);
      Object last = executor.execute(parts.get(1), context);
      if (first instanceof Integer from && last instanceof Integer to) {
        addRange(all, from, to);
      }
      return all;
    }

    private void addRange(Collection<Object> all, int from, int to) throws EolRuntimeException {
      if (Math.abs((long) to - from) > MOST_ELEMENTS) {
        throw BoundedCall.tooMany(this);
      }
      int step = from > to ? -1 : 1;
      for (int i = from; i != to; i += step) {
        all.add(i);
      }
      all.add(to);
    }
  }

  /** Of numbers, texts and collections. */
  static final class Plus extends PlusOperatorExpression {
    @Override
    public Object execute(Object first, Object second, IEolContext context)
        throws EolRuntimeException {
      check(first, this);
      check(second, this);
      Object sum = super.execute(first, second, context);
      if (sum instanceof String text && text.length() > Texts.LONGEST) {
        throw new EolRuntimeException(new Texts.TooLongException().getMessage(), this);
      }
      if (sum instanceof Collection<?> all && all.size() > 2 * MOST_ELEMENTS) {
        throw BoundedCall.tooMany(this);
      }
      return sum;
    }
  }

  /** {@code a = b}. */
  static final class Equals extends EqualsOperatorExpression {
    @Override
    public Boolean execute(Object first, Object second, IEolContext context)
        throws EolRuntimeException {
      check(first, this);
      check(second, this);
      return super.execute(first, second, context);
    }
  }

  /** {@code a <> b}. */
  static final class NotEquals extends NotEqualsOperatorExpression {
    @Override
    public Boolean execute(Object first, Object second, IEolContext context)
        throws EolRuntimeException {
      check(first, this);
      check(second, this);
      return super.execute(first, second, context);
    }
  }
}
