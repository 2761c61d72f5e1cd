package org.modelstress.hawk.query.compiled;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.epsilon.common.module.ModuleElement;
import org.eclipse.epsilon.eol.dom.AssignmentStatement;
import org.eclipse.epsilon.eol.dom.BreakStatement;
import org.eclipse.epsilon.eol.dom.ContinueStatement;
import org.eclipse.epsilon.eol.dom.Expression;
import org.eclipse.epsilon.eol.dom.ExpressionStatement;
import org.eclipse.epsilon.eol.dom.ForStatement;
import org.eclipse.epsilon.eol.dom.IfStatement;
import org.eclipse.epsilon.eol.dom.NameExpression;
import org.eclipse.epsilon.eol.dom.ReturnStatement;
import org.eclipse.epsilon.eol.dom.Statement;
import org.eclipse.epsilon.eol.dom.StatementBlock;
import org.eclipse.epsilon.eol.dom.VariableDeclaration;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.query.GraphTokens;

/** Compiles statements of EOL. */
final class StatementCompiler {
  private static final Set<String> LOOP_VARIABLES = Set.of("loopCount", "hasMore");

  private final GraphTokens tokens;
  private final Scope scope;
  private final ExpressionCompiler expressions;

  StatementCompiler(GraphTokens tokens, Scope scope, ExpressionCompiler expressions) {
    this.tokens = tokens;
    this.scope = scope;
    this.expressions = expressions;
  }

  /** Names of the variables that are assigned to after their declaration. */
  static Set<String> assigned(ModuleElement root) {
    Set<String> names = new HashSet<>();
    collectAssigned(root, names);
    return names;
  }

  private static void collectAssigned(ModuleElement element, Set<String> names) {
    if (element instanceof AssignmentStatement assignment
        && assignment.getTargetExpression() instanceof NameExpression name) {
      names.add(name.getName());
    }
    element.getChildren().forEach(child -> collectAssigned(child, names));
  }

  /** Compiles the statements of a block in the present scope. */
  Statements.Statement block(StatementBlock block) throws NotCompiledException {
    List<Statements.Statement> compiled = new ArrayList<>();
    for (Statement statement : block.getStatements()) {
      compiled.add(statement(statement));
    }
    return Statements.block(compiled);
  }

  private Statements.Statement inner(StatementBlock block) throws NotCompiledException {
    scope.enter();
    Statements.Statement compiled = block(block);
    scope.leave();
    return compiled;
  }

  private Statements.Statement statement(Statement s) throws NotCompiledException {
    if (s instanceof ReturnStatement returned) {
      Expression value = returned.getReturnedExpression();
      return new Statements.Return(value == null ? null : expressions.compile(value));
    }
    if (s instanceof AssignmentStatement assignment) {
      return assignment(assignment);
    }
    if (s instanceof ExpressionStatement statement) {
      return statement.getExpression() instanceof VariableDeclaration declaration
          ? declaration(declaration, null)
          : new Statements.Evaluate(expressions.compile(statement.getExpression()));
    }
    if (s instanceof ForStatement loop) {
      return loop(loop);
    }
    if (s instanceof IfStatement branch) {
      Node condition = expressions.compile(branch.getConditionExpression());
      StatementBlock otherwise = branch.getElseStatementBlock();
      return new Statements.If(
          condition,
          inner(branch.getThenStatementBlock()),
          otherwise == null ? null : inner(otherwise));
    }
    if (s instanceof BreakStatement end && !end.isAll()) {
      return new Statements.Jump(Statements.End.BREAK);
    }
    if (s instanceof ContinueStatement) {
      return new Statements.Jump(Statements.End.CONTINUE);
    }
    throw new NotCompiledException(s.getClass().getSimpleName());
  }

  private Statements.Statement assignment(AssignmentStatement s) throws NotCompiledException {
    Expression target = s.getTargetExpression();
    if (target instanceof VariableDeclaration declaration) {
      return declaration(declaration, expressions.compile(s.getValueExpression()));
    }
    if (target instanceof NameExpression name) {
      Scope.Variable variable = scope.find(name.getName());
      if (variable == null || !variable.assignable()) {
        throw new NotCompiledException(name.getName());
      }
      return new Statements.Assign(variable.slot(), expressions.compile(s.getValueExpression()));
    }
    throw new NotCompiledException("assignment");
  }

  private Statements.Statement declaration(VariableDeclaration declaration, Node value)
      throws NotCompiledException {
    boolean plain =
        !declaration.isExternal()
            && declaration.getParameterExpressions().isEmpty()
            && !LOOP_VARIABLES.contains(declaration.getName());
    boolean typed = declaration.getTypeExpression() != null;
    if (!plain || (typed && value != null)) {
      throw new NotCompiledException(declaration.getName());
    }
    Node initial = value;
    if (initial == null) {
      initial =
          typed ? expressions.fresh(declaration.getTypeExpression()) : new Values.Constant(null);
    }
    if (typed) {
      // a value of another kind could not be assigned to it later
      return new Statements.Assign(scope.constant(declaration.getName()).slot(), initial);
    }
    Scope.Variable variable =
        scope.declare(declaration.getName(), value == null ? Shape.ANY : initial.shape());
    return new Statements.Assign(variable.slot(), initial);
  }

  private Statements.Statement loop(ForStatement s) throws NotCompiledException {
    Node source;
    Catalog.Type extent = expressions.typeName(s.getIteratedExpression());
    source =
        extent == null
            ? expressions.compile(s.getIteratedExpression())
            : new Properties.Extent(extent);
    Catalog.Type wanted = expressions.checked(s.getIteratorParameter().getTypeExpression());
    Catalog.Type content = source.shape().content();
    boolean always = wanted == null || (content != null && tokens.isKindOf(content, wanted));
    scope.enter();
    Shape shape = Shape.one(always ? content : wanted);
    int slot = scope.declare(s.getIteratorParameter().getName(), shape).slot();
    Statements.Statement body = block(s.getBodyStatementBlock());
    scope.leave();
    return new Statements.For(slot, always ? null : wanted, source, body);
  }
}
