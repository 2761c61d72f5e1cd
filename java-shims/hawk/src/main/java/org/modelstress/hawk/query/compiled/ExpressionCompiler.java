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
  private final CallCompiler calls;

  ExpressionCompiler(GraphTokens tokens, TypeNames names, Scope scope) {
    this.tokens = tokens;
    this.names = names;
    this.scope = scope;
    this.calls = new CallCompiler(tokens, scope, this);
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
      return calls.firstOrder(call);
    }
    if (e instanceof OperationCallExpression call) {
      return calls.call(call);
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

  /** What a property or operation of a type gives: its extent. */
  static Node extent(Catalog.Type type, String name) throws NotCompiledException {
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
