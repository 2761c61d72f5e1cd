package org.modelstress.hawk.query.compiled;

import java.util.ConcurrentModificationException;
import java.util.HashSet;
import java.util.Set;
import org.eclipse.epsilon.eol.EolModule;
import org.eclipse.epsilon.epl.EplModule;
import org.modelstress.hawk.query.Element;
import org.modelstress.hawk.query.GraphAccess;
import org.modelstress.hawk.query.GraphTokens;
import org.modelstress.hawk.query.TypeNames;

/**
 * A query compiled for the graph: variables in slots instead of named frames, features looked up
 * once instead of at each access, elements as node numbers. It gives what Epsilon's interpreter
 * gives, or leaves the query to it. Immutable, for any number of threads.
 */
public final class Program {
  private final Statements.Statement main;
  private final Patterns patterns;
  private final int slots;
  private final int self;

  private Program(Statements.Statement main, Patterns patterns, int slots, int self) {
    this.main = main;
    this.patterns = patterns;
    this.slots = slots;
    this.self = self;
  }

  /**
   * Compiles a parsed query.
   *
   * @return null if it uses something that is left to the interpreter
   */
  public static Program of(EolModule module, GraphTokens tokens, TypeNames names) {
    return of(module, tokens, names, false);
  }

  /** As {@link #of}, with a variable {@code self} that is an element. */
  public static Program ofSelf(EolModule module, GraphTokens tokens, TypeNames names) {
    return of(module, tokens, names, true);
  }

  private static Program of(
      EolModule module, GraphTokens tokens, TypeNames names, boolean withSelf) {
    if (!module.getOperations().isEmpty() || !module.getPostOperationStatements().isEmpty()) {
      return null;
    }
    Set<String> assigned = new HashSet<>();
    if (module.getMain() != null) {
      assigned.addAll(StatementCompiler.assigned(module.getMain()));
    }
    try {
      if (module instanceof EplModule epl) {
        epl.getPre().forEach(pre -> assigned.addAll(StatementCompiler.assigned(pre)));
        return patterns(epl, tokens, names, new Scope(assigned));
      }
      Scope scope = new Scope(assigned);
      int self = withSelf ? scope.constant("self").slot() : -1;
      ExpressionCompiler expressions = new ExpressionCompiler(tokens, names, scope);
      Statements.Statement main =
          new StatementCompiler(tokens, scope, expressions).block(module.getMain());
      return new Program(main, null, scope.slots(), self);
    } catch (NotCompiledException | TypeNames.AmbiguousNameException e) {
      return null;
    }
  }

  private static Program patterns(EplModule epl, GraphTokens tokens, TypeNames names, Scope scope)
      throws NotCompiledException {
    ExpressionCompiler expressions = new ExpressionCompiler(tokens, names, scope);
    StatementCompiler statements = new StatementCompiler(tokens, scope, expressions);
    Patterns patterns = new PatternCompiler(tokens, scope, expressions, statements).compile(epl);
    return new Program(null, patterns, scope.slots(), -1);
  }

  /** The result, or {@link #LEFT} where the interpreter must decide. */
  public Object run(GraphAccess graph) {
    return run(graph, null);
  }

  /** As {@link #run(GraphAccess)}, for an element. */
  public Object run(GraphAccess graph, Element element) {
    Frame frame = new Frame(graph, slots);
    if (self >= 0) {
      frame.slots[self] = element;
    }
    try {
      if (patterns != null) {
        return patterns.run(frame);
      }
      main.run(frame);
      return frame.returned;
    } catch (Bailout | ConcurrentModificationException e) {
      return LEFT;
    }
  }

  /** Stands for the result of a query that is left to the interpreter. */
  public static final Object LEFT = new Object();
}
