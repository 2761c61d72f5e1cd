package org.modelstress.hawk.query.compiled;

import java.util.List;
import org.eclipse.epsilon.eol.dom.Expression;
import org.eclipse.epsilon.eol.dom.FirstOrderOperationCallExpression;
import org.eclipse.epsilon.eol.dom.NameExpression;
import org.eclipse.epsilon.eol.dom.OperationCallExpression;
import org.eclipse.epsilon.eol.dom.Parameter;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.query.GraphTokens;

/** Compiles calls of operations. */
final class CallCompiler {
  private final GraphTokens tokens;
  private final Scope scope;
  private final ExpressionCompiler expressions;

  CallCompiler(GraphTokens tokens, Scope scope, ExpressionCompiler expressions) {
    this.tokens = tokens;
    this.scope = scope;
    this.expressions = expressions;
  }

  /** Compiles a call without a lambda. */
  Node call(OperationCallExpression call) throws NotCompiledException {
    String name = call.getName();
    List<Expression> given = call.getParameterExpressions();
    if (call.isContextless() || call.isNullSafe()) {
      throw new NotCompiledException(name);
    }
    Catalog.Type type = expressions.typeName(call.getTargetExpression());
    if (type != null) {
      if (given.isEmpty()) {
        return ExpressionCompiler.extent(type, name);
      }
      throw new NotCompiledException(name);
    }
    Node target = expressions.compile(call.getTargetExpression());
    return switch (given.size()) {
      case 0 -> call(target, name);
      case 1 -> call(target, name, given.get(0));
      case 2 -> {
        if (!name.equals("put")) {
          throw new NotCompiledException(name);
        }
        yield new Calls.Put(
            target, expressions.compile(given.get(0)), expressions.compile(given.get(1)));
      }
      default -> throw new NotCompiledException(name);
    };
  }

  private static Node call(Node target, String name) throws NotCompiledException {
    return switch (name) {
      case "size" -> new Calls.Size(target);
      case "isEmpty" -> new Calls.IsEmpty(target, true);
      case "notEmpty" -> new Calls.IsEmpty(target, false);
      case "isDefined" -> new Calls.IsDefined(target, true);
      case "isUndefined" -> new Calls.IsDefined(target, false);
      case "first" -> new Calls.Nth(target, false);
      case "last" -> new Calls.Nth(target, true);
      case "asSet" -> new Calls.Copy(target, () -> Calls.empty("Set"));
      case "asOrderedSet" -> new Calls.Copy(target, () -> Calls.empty("OrderedSet"));
      case "asSequence" -> new Calls.Copy(target, () -> Calls.empty("Sequence"));
      case "asBag" -> new Calls.Copy(target, () -> Calls.empty("Bag"));
      default -> throw new NotCompiledException(name);
    };
  }

  private Node call(Node target, String name, Expression given) throws NotCompiledException {
    if (name.equals("isKindOf") || name.equals("isTypeOf")) {
      Catalog.Type type = expressions.typeName(given);
      if (type == null) {
        throw new NotCompiledException(name);
      }
      return new Properties.KindTest(target, type, name.equals("isTypeOf"));
    }
    Node part = expressions.compile(given);
    return switch (name) {
      case "includes" -> new Calls.Includes(target, part, true);
      case "excludes" -> new Calls.Includes(target, part, false);
      case "excludingAll" -> new Calls.ExcludingAll(target, part);
      case "add" -> new Calls.Add(target, part);
      case "get" -> new Calls.Get(target, part);
      default -> throw new NotCompiledException(name);
    };
  }

  /** Compiles a call with a lambda. */
  Node firstOrder(FirstOrderOperationCallExpression call) throws NotCompiledException {
    String name = call.getName();
    boolean simple =
        call.getTargetExpression() != null
            && !call.isNullSafe()
            && call.getParameters().size() == 1
            && call.getExpressions().size() == 1;
    if (!simple) {
      throw new NotCompiledException(name);
    }
    Node source = expressions.compile(call.getTargetExpression());
    Parameter parameter = call.getParameters().get(0);
    Catalog.Type wanted = expressions.checked(parameter.getTypeExpression());
    Catalog.Type content = source.shape().content();
    boolean always = wanted == null || (content != null && tokens.isKindOf(content, wanted));
    scope.enter();
    Shape shape = Shape.one(always ? content : wanted);
    int slot = scope.declare(parameter.getName(), shape).slot();
    Expression condition = call.getExpressions().get(0);
    Searches.Lambda lambda =
        new Searches.Lambda(source, slot, always ? null : wanted, expressions.compile(condition));
    Node node = firstOrder(name, lambda, parameter, condition);
    scope.leave();
    return node;
  }

  private Node firstOrder(
      String name, Searches.Lambda lambda, Parameter parameter, Expression condition)
      throws NotCompiledException {
    return switch (name) {
      case "select" -> select(lambda, parameter, condition);
      case "reject" -> new Searches.Select(lambda, false, lambda.source().shape());
      case "collect" -> new Searches.Collect(lambda);
      case "exists" -> new Searches.Search(lambda, Searches.Goal.EXISTS);
      case "forAll" -> new Searches.Search(lambda, Searches.Goal.FOR_ALL);
      case "none" -> new Searches.Search(lambda, Searches.Goal.NONE);
      case "one" -> new Searches.Search(lambda, Searches.Goal.ONE);
      case "count" -> new Searches.Search(lambda, Searches.Goal.COUNT);
      case "selectOne" -> new Searches.Search(lambda, Searches.Goal.SELECT_ONE);
      default -> throw new NotCompiledException(name);
    };
  }

  private Node select(Searches.Lambda lambda, Parameter parameter, Expression condition)
      throws NotCompiledException {
    Catalog.Type narrowed = narrowed(parameter.getName(), condition);
    Shape shape =
        narrowed == null
            ? Shape.many(lambda.type() == null ? lambda.source().shape().content() : lambda.type())
            : Shape.many(narrowed);
    Searches.Select plain = new Searches.Select(lambda, true, shape);
    if (lambda.source() instanceof Properties.Extent extent && lambda.type() == null) {
      Searches.Lookup lookup =
          expressions.lookup(extent.type, parameter.getName(), lambda.slot(), condition);
      return lookup == null ? plain : new Searches.IndexedSelect(lookup, plain);
    }
    return plain;
  }

  /** The type that a condition like {@code x.isKindOf(T)} proves, or null. */
  private Catalog.Type narrowed(String variable, Expression condition) throws NotCompiledException {
    boolean test =
        condition instanceof OperationCallExpression call
            && (call.getName().equals("isKindOf") || call.getName().equals("isTypeOf"))
            && call.getTargetExpression() instanceof NameExpression name
            && name.getName().equals(variable);
    return test
        ? expressions.typeName(
            ((OperationCallExpression) condition).getParameterExpressions().get(0))
        : null;
  }
}
