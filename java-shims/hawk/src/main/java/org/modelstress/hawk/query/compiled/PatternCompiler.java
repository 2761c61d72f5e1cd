package org.modelstress.hawk.query.compiled;

import java.util.ArrayList;
import java.util.List;
import org.eclipse.epsilon.eol.dom.ExecutableBlock;
import org.eclipse.epsilon.eol.dom.Expression;
import org.eclipse.epsilon.eol.dom.StatementBlock;
import org.eclipse.epsilon.epl.EplModule;
import org.eclipse.epsilon.epl.dom.Domain;
import org.eclipse.epsilon.epl.dom.Pattern;
import org.eclipse.epsilon.epl.dom.Role;
import org.eclipse.epsilon.erl.dom.Pre;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.query.GraphTokens;
import org.modelstress.hawk.query.epsilon.Modules;

/** Compiles patterns of EPL whose roles stand for one element each. */
final class PatternCompiler {
  private final GraphTokens tokens;
  private final Scope scope;
  private final ExpressionCompiler expressions;
  private final StatementCompiler statements;

  PatternCompiler(
      GraphTokens tokens,
      Scope scope,
      ExpressionCompiler expressions,
      StatementCompiler statements) {
    this.tokens = tokens;
    this.scope = scope;
    this.expressions = expressions;
    this.statements = statements;
  }

  Patterns compile(EplModule epl) throws NotCompiledException {
    if (!epl.getPost().isEmpty()) {
      throw new NotCompiledException("post");
    }
    List<Statements.Statement> before = new ArrayList<>();
    for (Pre pre : epl.getPre()) {
      before.add(statements.block(pre.getBody()));
    }
    List<Patterns.Pattern> patterns = new ArrayList<>();
    for (Pattern pattern : epl.getPatterns()) {
      patterns.add(pattern(pattern));
    }
    return new Patterns(Statements.block(before), patterns);
  }

  private Patterns.Pattern pattern(Pattern pattern) throws NotCompiledException {
    boolean plain =
        pattern.getLevel() == 0
            && pattern.getDo() == null
            && pattern.getOnMatch() == null
            && pattern.getNoMatch() == null
            && pattern.getAnnotationBlock() == null;
    if (!plain) {
      throw new NotCompiledException(pattern.getName());
    }
    scope.enter();
    List<Patterns.Role> roles = new ArrayList<>();
    for (Role role : pattern.getRoles()) {
      roles.add(role(role));
    }
    Patterns.Body match = pattern.getMatch() == null ? null : body(pattern.getMatch());
    scope.leave();
    return new Patterns.Pattern(roles.toArray(new Patterns.Role[0]), match);
  }

  private Patterns.Role role(Role role) throws NotCompiledException {
    if (!(role instanceof Modules.PlainRole plain) || !plain.isPlain()) {
      throw new NotCompiledException("role");
    }
    String name = role.getNames().get(0);
    Catalog.Type wanted = expressions.checked(plain.typeExpression());
    Domain domain = role.getDomain();
    if (domain == null) {
      return overExtent(name, wanted, role);
    }
    Patterns.Body values = defined(body(domain));
    Shape given = domain.getBody() instanceof Expression e ? shape(e) : Shape.ANY;
    Catalog.Type known = given.content() == null ? given.element() : given.content();
    boolean always = wanted == null || (known != null && tokens.isKindOf(known, wanted));
    int kept = domain.isDynamic() ? -1 : scope.hidden();
    int slot = scope.declare(name, Shape.one(always ? known : wanted)).slot();
    Patterns.Body guard = role.getGuard() == null ? null : body(role.getGuard());
    Catalog.Type check = always ? null : wanted;
    // null is of every type Any, but of no type of the metamodel
    return new Patterns.Role(name, slot, null, values, kept, check, wanted == null, guard, null);
  }

  /** A domain must not be undefined. */
  private static Patterns.Body defined(Patterns.Body body) {
    return frame -> {
      Object value = body.value(frame);
      if (value == null) {
        throw Bailout.INSTANCE;
      }
      return value;
    };
  }

  private Shape shape(Expression e) throws NotCompiledException {
    return expressions.compile(e).shape();
  }

  private Patterns.Role overExtent(String name, Catalog.Type type, Role role)
      throws NotCompiledException {
    if (type == null) {
      throw new NotCompiledException("Any without a domain");
    }
    int kept = scope.hidden();
    int slot = scope.declare(name, Shape.one(type)).slot();
    Patterns.Body guard = null;
    Searches.Lookup lookup = null;
    if (role.getGuard() != null) {
      guard = body(role.getGuard());
      if (role.getGuard().getBody() instanceof Expression condition) {
        lookup = expressions.lookup(type, name, slot, condition);
      }
    }
    return new Patterns.Role(name, slot, type, null, kept, null, false, guard, lookup);
  }

  private Patterns.Body body(ExecutableBlock<?> block) throws NotCompiledException {
    if (block.getBody() instanceof Expression e) {
      Node node = expressions.compile(e);
      return new Patterns.Body() {
        @Override
        public Object value(Frame frame) {
          return node.eval(frame);
        }

        @Override
        public boolean test(Frame frame) {
          return node.test(frame);
        }
      };
    }
    if (block.getBody() instanceof StatementBlock statementBlock) {
      scope.enter();
      Statements.Statement compiled = statements.block(statementBlock);
      scope.leave();
      return frame -> {
        if (compiled.run(frame) != Statements.End.RETURN) {
          throw Bailout.INSTANCE;
        }
        return frame.returned;
      };
    }
    throw new NotCompiledException("block");
  }
}
