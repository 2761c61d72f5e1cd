package org.modelstress.hawk.query;

import java.util.List;
import org.eclipse.epsilon.eol.dom.ExpressionStatement;
import org.eclipse.epsilon.eol.dom.ReturnStatement;
import org.eclipse.epsilon.eol.dom.Statement;
import org.eclipse.epsilon.eol.execute.context.Variable;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.query.compiled.Program;
import org.modelstress.hawk.query.epsilon.EpsilonText;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;

/** The parsed logic of a derived attribute: EOL, an expression or statements over {@code self}. */
public final class Derivation {
  private final String logic;
  private final GraphTokens tokens;
  private EpsilonText text;
  private Program program;

  private Derivation(String logic, GraphTokens tokens) {
    this.logic = logic;
    this.tokens = tokens;
  }

  /**
   * Parses the logic.
   *
   * @throws InvalidQueryException with line and column if it is not EOL
   */
  public static Derivation parse(String logic, GraphTokens tokens) throws InvalidQueryException {
    Derivation derivation = new Derivation(logic, tokens);
    derivation.text = derivation.parse();
    TypeNames names = new TypeNames(tokens.catalog(), List.of());
    derivation.program = Program.ofSelf(derivation.text.module(), derivation.tokens, names);
    return derivation;
  }

  private EpsilonText parse() throws InvalidQueryException {
    TypeNames names = new TypeNames(tokens.catalog(), List.of());
    EpsilonText parsed;
    try {
      parsed = EpsilonText.parse(Language.EOL, logic, names, Fidelity.IMPROVED);
    } catch (InvalidQueryException statements) {
      try { // an expression is a statement but for the semicolon
        parsed = EpsilonText.parse(Language.EOL, logic + "\n;", names, Fidelity.IMPROVED);
      } catch (InvalidQueryException expression) {
        throw statements;
      }
    }
    returnLast(parsed.module().getMain().getStatements());
    return parsed;
  }

  /** The value is that of the last statement if it is an expression. */
  private static void returnLast(List<Statement> statements) {
    int last = statements.size() - 1;
    if (last >= 0 && statements.get(last) instanceof ExpressionStatement statement) {
      ReturnStatement returned = new ReturnStatement(statement.getExpression());
      returned.setRegion(statement.getRegion());
      returned.setParent(statement.getParent());
      statements.set(last, returned);
    }
  }

  /** Computes the value for one element to the end. */
  public Object evaluate(GraphReader reader, long element, AccessListener accesses)
      throws FailedQueryException {
    return evaluate(reader, element, new Cancellation(), accesses);
  }

  /**
   * Computes the value for one element; one thread at a time.
   *
   * @param reader sees the graph; a writer's uncommitted changes count
   * @param cancellation that it looks at
   * @param accesses told everything that was read
   * @return null, Boolean, Number, String or a collection of these
   * @throws FailedQueryException if the logic fails
   * @throws CancelledSignal if it was cancelled
   */
  public Object evaluate(
      GraphReader reader, long element, Cancellation cancellation, AccessListener accesses)
      throws FailedQueryException {
    GraphAccess access = new GraphAccess(tokens, reader, QueryScope.ALL, cancellation, accesses);
    if (program != null) {
      Object value = program.run(access, new Element(element));
      if (value != Program.LEFT) {
        return Results.of(value, new TypeNames(tokens.catalog(), List.of()));
      }
    }
    return interpret(access, element);
  }

  private Object interpret(GraphAccess access, long element) throws FailedQueryException {
    try {
      if (text == null) {
        text = parse();
      }
      EpsilonText used = text;
      text = null; // of no more use after a failure
      Variable self = Variable.createReadOnlyVariable("self", new Element(element));
      Object value = used.run(access, self);
      text = used;
      return value;
    } catch (InvalidQueryException e) {
      throw new FailedQueryException(e.getMessage(), e);
    }
  }
}
