package org.modelstress.hawk.query;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.modelstress.hawk.query.compiled.Program;
import org.modelstress.hawk.query.epsilon.EpsilonText;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;

/**
 * A query that was parsed: as a program of ours where that is possible, and as modules of Epsilon's
 * interpreter, one for each evaluation that goes on.
 */
final class ParsedQuery {
  private static final int MAX_IDLE = 8;
  private static final int MAX_LEFT = 3;

  private final Language language;
  private final String text;
  private final TypeNames names;
  private final Fidelity fidelity;
  private final ConcurrentLinkedQueue<EpsilonText> idle = new ConcurrentLinkedQueue<>();
  private final AtomicInteger idleCount = new AtomicInteger();
  private final AtomicInteger left = new AtomicInteger();
  private volatile Program program;

  private ParsedQuery(Language language, String text, TypeNames names, Fidelity fidelity) {
    this.language = language;
    this.text = text;
    this.names = names;
    this.fidelity = fidelity;
  }

  /** Parses a query for Epsilon's interpreter alone. */
  static ParsedQuery plain(Language language, String text, TypeNames names, Fidelity fidelity)
      throws InvalidQueryException {
    ParsedQuery query = new ParsedQuery(language, text, names, fidelity);
    query.giveBack(EpsilonText.parse(language, text, names, fidelity));
    return query;
  }

  /** Parses a query and compiles it where that is possible. */
  static ParsedQuery compiled(Language language, String text, TypeNames names, GraphTokens tokens)
      throws InvalidQueryException {
    ParsedQuery query = new ParsedQuery(language, text, names, Fidelity.IMPROVED);
    EpsilonText parsed = EpsilonText.parse(language, text, names, Fidelity.IMPROVED);
    query.program = Program.of(parsed.module(), tokens, names);
    query.giveBack(parsed);
    return query;
  }

  /** Whether our own program answers it, at least so far. */
  boolean isCompiled() {
    return program != null;
  }

  /** Evaluates it. */
  Object run(GraphAccess graph) throws FailedQueryException {
    Program compiled = program;
    if (compiled != null) {
      Object result = compiled.run(graph);
      if (result != Program.LEFT) {
        return Results.of(result, names);
      }
      if (left.incrementAndGet() == MAX_LEFT) {
        program = null; // no use in beginning twice each time
      }
    }
    return interpret(graph);
  }

  private Object interpret(GraphAccess graph) throws FailedQueryException {
    EpsilonText free = idle.poll();
    if (free == null) {
      free = parse();
    } else {
      idleCount.decrementAndGet();
    }
    Object result = free.run(graph);
    giveBack(free); // after a failure it is not: its state is unknown
    return result;
  }

  private EpsilonText parse() throws FailedQueryException {
    try {
      return EpsilonText.parse(language, text, names, fidelity);
    } catch (InvalidQueryException e) {
      throw new FailedQueryException(e.getMessage(), e); // cannot be: it was parsed before
    }
  }

  private void giveBack(EpsilonText used) {
    if (idleCount.incrementAndGet() <= MAX_IDLE) {
      idle.add(used);
    } else {
      idleCount.decrementAndGet();
    }
  }
}
