package org.modelstress.hawk.query.compiled;

import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import org.eclipse.epsilon.eol.dom.AndOperatorExpression;
import org.eclipse.epsilon.eol.dom.BooleanLiteral;
import org.eclipse.epsilon.eol.dom.CollectionLiteralExpression;
import org.eclipse.epsilon.eol.dom.DivOperatorExpression;
import org.eclipse.epsilon.eol.dom.ElvisOperatorExpression;
import org.eclipse.epsilon.eol.dom.EnumerationLiteralExpression;
import org.eclipse.epsilon.eol.dom.Expression;
import org.eclipse.epsilon.eol.dom.ExpressionInBrackets;
import org.eclipse.epsilon.eol.dom.FirstOrderOperationCallExpression;
import org.eclipse.epsilon.eol.dom.ImpliesOperatorExpression;
import org.eclipse.epsilon.eol.dom.IntegerLiteral;
import org.eclipse.epsilon.eol.dom.LiteralExpression;
import org.eclipse.epsilon.eol.dom.MinusOperatorExpression;
import org.eclipse.epsilon.eol.dom.NameExpression;
import org.eclipse.epsilon.eol.dom.NegativeOperatorExpression;
import org.eclipse.epsilon.eol.dom.NewInstanceExpression;
import org.eclipse.epsilon.eol.dom.NotOperatorExpression;
import org.eclipse.epsilon.eol.dom.OperationCallExpression;
import org.eclipse.epsilon.eol.dom.OperatorExpression;
import org.eclipse.epsilon.eol.dom.OrOperatorExpression;
import org.eclipse.epsilon.eol.dom.Parameter;
import org.eclipse.epsilon.eol.dom.PlusOperatorExpression;
import org.eclipse.epsilon.eol.dom.PropertyCallExpression;
import org.eclipse.epsilon.eol.dom.RealLiteral;
import org.eclipse.epsilon.eol.dom.StringLiteral;
import org.eclipse.epsilon.eol.dom.TernaryExpression;
import org.eclipse.epsilon.eol.dom.TimesOperatorExpression;
import org.eclipse.epsilon.eol.dom.TypeExpression;
import org.eclipse.epsilon.eol.dom.XorOperatorExpression;
import org.eclipse.epsilon.eol.types.EolMap;
import org.eclipse.epsilon.eol.types.NumberUtil;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.query.Fidelity;
import org.modelstress.hawk.query.GraphAccess;
import org.modelstress.hawk.query.GraphTokens;
import org.modelstress.hawk.query.TypeNames;
import org.modelstress.hawk.query.lookup.Plan;
import org.modelstress.hawk.query.lookup.Planner;
import org.modelstress.hawk.query.lookup.Relation;

/** Compiles expressions of EOL. */
final class ExpressionCompiler {
  private static final Set<String> EXTENTS =
      Set.of("all", "allInstances", "getAllOfKind", "allOfKind");

  private final GraphTokens tokens;
  private final TypeNames names;
  private final Scope scope;

  ExpressionCompiler(GraphTokens tokens, TypeNames names, Scope scope) {
    this.tokens = tokens;
    this.names = names;
    this.scope = scope;
  }

  /**
   * Compiles an expression.
   *
   * @throws NotCompiledException if it has something that is left to the interpreter
   */
  Node compile(Expression e) throws NotCompiledException {
    if (e instanceof ExpressionInBrackets brackets) {
      return compile(brackets.getExpression());
    }
    if (e instanceof IntegerLiteral
        || e instanceof RealLiteral
        || e instanceof BooleanLiteral
        || e instanceof StringLiteral) {
      return new Values.Constant(((LiteralExpression<?>) e).getValue());
    }
    if (e instanceof NameExpression name) {
      return name(name.getName());
    }
    if (e instanceof EnumerationLiteralExpression literal) {
      return literal(literal.getEnumerationLiteral());
    }
    if (e instanceof PropertyCallExpression call) {
      return property(call);
    }
    if (e instanceof FirstOrderOperationCallExpression call) {
      return firstOrder(call);
    }
    if (e instanceof OperationCallExpression call) {
      return call(call);
    }
    return e instanceof OperatorExpression operator ? operator(operator) : fresh(e);
  }

  private Node name(String name) throws NotCompiledException {
    if (name.equals("null")) {
      return new Values.Constant(null);
    }
    Scope.Variable variable = scope.find(name);
    if (variable == null) {
      throw new NotCompiledException(name);
    }
    return new Values.Read(variable);
  }

  private Node literal(String text) throws NotCompiledException {
    String[] parts = text.split("#");
    String literal =
        parts.length == 2 && !text.contains("!") ? names.literal(parts[0], parts[1]) : null;
    if (literal == null) {
      throw new NotCompiledException(text);
    }
    return new Values.Constant(literal);
  }

  private Node operator(OperatorExpression e) throws NotCompiledException {
    if (e instanceof TernaryExpression ternary) {
      return new Values.Conditional(
          compile(e.getFirstOperand()),
          compile(e.getSecondOperand()),
          compile(ternary.getThirdOperand()));
    }
    Node first = compile(e.getFirstOperand());
    if (e instanceof NotOperatorExpression) {
      return new Values.Not(first);
    }
    if (e instanceof NegativeOperatorExpression) {
      return new Values.Negative(first);
    }
    if (e.getSecondOperand() == null) {
      throw new NotCompiledException("operator");
    }
    Node second = compile(e.getSecondOperand());
    if (e instanceof AndOperatorExpression) {
      return new Values.And(first, second);
    }
    if (e instanceof OrOperatorExpression) {
      return new Values.Or(first, second);
    }
    if (e instanceof XorOperatorExpression) {
      return new Values.Xor(first, second);
    }
    if (e instanceof ImpliesOperatorExpression) {
      return new Values.Or(new Values.Not(first), second);
    }
    if (e instanceof ElvisOperatorExpression) {
      return new Values.Elvis(first, second);
    }
    return comparison(e, first, second);
  }

  private static Node comparison(OperatorExpression e, Node first, Node second)
      throws NotCompiledException {
    Relation relation = Planner.relation(e);
    if (relation == Relation.EQ) {
      return new Values.Equal(first, second);
    }
    if (relation == Relation.NE) {
      return new Values.Not(new Values.Equal(first, second));
    }
    return relation == null
        ? new Values.Arithmetic(first, arithmetic(e), second)
        : new Values.Compare(first, relation, second);
  }

  private static BinaryOperator<Number> arithmetic(OperatorExpression e)
      throws NotCompiledException {
    if (e instanceof PlusOperatorExpression) {
      return NumberUtil::add;
    }
    if (e instanceof MinusOperatorExpression) {
      return NumberUtil::subtract;
    }
    if (e instanceof TimesOperatorExpression) {
      return NumberUtil::multiply;
    }
    if (e instanceof DivOperatorExpression) {
      return NumberUtil::divide;
    }
    throw new NotCompiledException("operator");
  }

  private Node fresh(Expression e) throws NotCompiledException {
    if (e instanceof CollectionLiteralExpression<?> literal && !literal.isRange()) {
      String kind = literal.getCollectionType();
      Node[] parts = compile(literal.getParameterExpressions()).toArray(new Node[0]);
      return new Values.CollectionOf(() -> Calls.empty(kind), parts);
    }
    if (e instanceof NewInstanceExpression made && made.getParameterExpressions().isEmpty()) {
      return fresh(made.getTypeExpression());
    }
    throw new NotCompiledException(e.getClass().getSimpleName());
  }

  /** A new collection or map. */
  Node fresh(TypeExpression type) throws NotCompiledException {
    String kind = type.getName();
    if (!type.getParameterTypeExpressions().isEmpty()) {
      throw new NotCompiledException(kind);
    }
    return switch (kind) {
      case "Map" -> new Values.Fresh(EolMap::new);
      case "Sequence", "List", "Set", "OrderedSet", "Bag" ->
          new Values.Fresh(() -> Calls.empty(kind));
      default -> throw new NotCompiledException(kind);
    };
  }

  private List<Node> compile(Collection<Expression> expressions) throws NotCompiledException {
    List<Node> nodes = new ArrayList<>();
    for (Expression e : expressions) {
      nodes.add(compile(e));
    }
    return nodes;
  }

  /** The type that an expression names, or null. */
  Catalog.Type typeName(Expression e) throws NotCompiledException {
    String name =
        e instanceof NameExpression n
            ? n.getName()
            : e instanceof TypeExpression t ? t.getName() : null;
    if (name == null || scope.find(name) != null || TypeExpression.getType(name) != null) {
      return null;
    }
    try {
      return names.type(name);
    } catch (TypeNames.AmbiguousNameException ambiguous) {
      throw new NotCompiledException(name);
    }
  }

  private Node property(PropertyCallExpression call) throws NotCompiledException {
    String name = call.getName();
    if (call.isNullSafe() || name.startsWith("~")) {
      throw new NotCompiledException(name);
    }
    Catalog.Type type = typeName(call.getTargetExpression());
    if (type != null) {
      return extent(type, name);
    }
    Node target = compile(call.getTargetExpression());
    Catalog.Type known = target.shape().element();
    Catalog.Feature feature = known == null ? null : tokens.feature(known, name);
    if (feature instanceof Catalog.Attribute attribute) {
      return new Properties.Attribute(target, attribute);
    }
    if (feature instanceof Catalog.Derived derived) {
      return new Properties.Derived(target, derived);
    }
    if (feature instanceof Catalog.Reference reference) {
      return reference(target, reference);
    }
    return special(target, name);
  }

  private static Node extent(Catalog.Type type, String name) throws NotCompiledException {
    if (EXTENTS.contains(name)) {
      return new Properties.Extent(type);
    }
    throw new NotCompiledException(name);
  }

  private Node reference(Node target, Catalog.Reference reference) {
    Catalog.Type type = tokens.catalog().of(reference.eReference().getEReferenceType());
    return reference.eReference().isMany()
        ? new Properties.ManyReference(target, reference, Shape.many(type))
        : new Properties.OneReference(target, reference, Shape.one(type));
  }

  private Node special(Node target, String name) {
    if (!tokens.isFeature(name)) {
      if (name.equals(GraphAccess.CONTAINER)) {
        return new Properties.Container(target);
      }
      if (name.equals(GraphAccess.CONTENTS)) {
        return new Properties.Contents(target);
      }
      if (name.startsWith(GraphAccess.REVERSE)) {
        String reference = name.substring(GraphAccess.REVERSE.length());
        if (tokens.labels(reference).length > 0) {
          return new Properties.Reverse(target, reference, Shape.many(tokens.owner(reference)));
        }
      }
    }
    return new Properties.Dynamic(target, name);
  }

  private Node call(OperationCallExpression call) throws NotCompiledException {
    String name = call.getName();
    List<Expression> given = call.getParameterExpressions();
    if (call.isContextless() || call.isNullSafe()) {
      throw new NotCompiledException(name);
    }
    Catalog.Type type = typeName(call.getTargetExpression());
    if (type != null) {
      if (given.isEmpty()) {
        return extent(type, name);
      }
      throw new NotCompiledException(name);
    }
    Node target = compile(call.getTargetExpression());
    return switch (given.size()) {
      case 0 -> call(target, name);
      case 1 -> call(target, name, given.get(0));
      case 2 -> {
        if (!name.equals("put")) {
          throw new NotCompiledException(name);
        }
        yield new Calls.Put(target, compile(given.get(0)), compile(given.get(1)));
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
      Catalog.Type type = typeName(given);
      if (type == null) {
        throw new NotCompiledException(name);
      }
      return new Properties.KindTest(target, type, name.equals("isTypeOf"));
    }
    Node part = compile(given);
    return switch (name) {
      case "includes" -> new Calls.Includes(target, part, true);
      case "excludes" -> new Calls.Includes(target, part, false);
      case "excludingAll" -> new Calls.ExcludingAll(target, part);
      case "add" -> new Calls.Add(target, part);
      case "get" -> new Calls.Get(target, part);
      default -> throw new NotCompiledException(name);
    };
  }

  private Node firstOrder(FirstOrderOperationCallExpression call) throws NotCompiledException {
    String name = call.getName();
    boolean simple =
        call.getTargetExpression() != null
            && !call.isNullSafe()
            && call.getParameters().size() == 1
            && call.getExpressions().size() == 1;
    if (!simple) {
      throw new NotCompiledException(name);
    }
    Node source = compile(call.getTargetExpression());
    Parameter parameter = call.getParameters().get(0);
    Catalog.Type wanted = checked(parameter.getTypeExpression());
    Catalog.Type content = source.shape().content();
    boolean always = wanted == null || (content != null && tokens.isKindOf(content, wanted));
    scope.enter();
    Shape shape = Shape.one(always ? content : wanted);
    int slot = scope.declare(parameter.getName(), shape).slot();
    Expression condition = call.getExpressions().get(0);
    Searches.Lambda lambda =
        new Searches.Lambda(source, slot, always ? null : wanted, compile(condition));
    Node node = firstOrder(name, lambda, parameter, condition);
    scope.leave();
    return node;
  }

  /** The type that a parameter is checked against; null if it is not. */
  Catalog.Type checked(TypeExpression type) throws NotCompiledException {
    if (type == null || type.getName().equals("Any")) {
      return null;
    }
    Catalog.Type known = typeName(type);
    if (known == null) {
      throw new NotCompiledException(type.getName());
    }
    return known;
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
      Searches.Lookup lookup = lookup(extent.type, parameter.getName(), lambda.slot(), condition);
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
        ? typeName(((OperationCallExpression) condition).getParameterExpressions().get(0))
        : null;
  }

  /** How indices answer a condition over the extent of a type; null if they do not. */
  Searches.Lookup lookup(Catalog.Type type, String variable, int slot, Expression condition)
      throws NotCompiledException {
    // operations of the query are not compiled, so none is declared
    Plan plan = new Planner(tokens, Fidelity.IMPROVED, Set.of(), type, variable).plan(condition);
    if (plan == null) {
      return null;
    }
    Map<Expression, Node> parts = new IdentityHashMap<>();
    for (Expression part : plan.values()) {
      parts.put(part, compile(part));
    }
    for (Expression part : plan.residuals()) {
      parts.put(part, compile(part));
    }
    return new Searches.Lookup(plan, type, slot, parts);
  }
}
