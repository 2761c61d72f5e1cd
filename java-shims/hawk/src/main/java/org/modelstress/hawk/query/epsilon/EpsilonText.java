package org.modelstress.hawk.query.epsilon;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.eclipse.epsilon.common.module.ModuleElement;
import org.eclipse.epsilon.common.parse.problem.ParseProblem;
import org.eclipse.epsilon.eol.EolModule;
import org.eclipse.epsilon.eol.exceptions.EolRuntimeException;
import org.eclipse.epsilon.eol.exceptions.flowcontrol.EolTerminationException;
import org.eclipse.epsilon.eol.execute.context.IEolContext;
import org.eclipse.epsilon.eol.execute.context.Variable;
import org.eclipse.epsilon.eol.execute.control.DefaultExecutionController;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.query.CancelledSignal;
import org.modelstress.hawk.query.Fidelity;
import org.modelstress.hawk.query.GraphAccess;
import org.modelstress.hawk.query.Language;
import org.modelstress.hawk.query.Results;
import org.modelstress.hawk.query.TypeNames;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;

/** A parsed text in Epsilon's own interpreter. For one evaluation at a time. */
public final class EpsilonText {
  private final EolModule module;
  private final GraphModel model;
  private final List<Map<String, Object>> matches;

  private EpsilonText(EolModule module, GraphModel model, List<Map<String, Object>> matches) {
    this.module = module;
    this.model = model;
    this.matches = matches;
    IEolContext context = module.getContext();
    context.getModelRepository().addModel(model);
    context.getExecutorFactory().setExecutionController(new Controller());
  }

  /**
   * Parses a text.
   *
   * @throws InvalidQueryException with line and column if it is not of the language
   */
  public static EpsilonText parse(
      Language language, String text, TypeNames names, Fidelity fidelity)
      throws InvalidQueryException {
    GraphModel model = new GraphModel(names, new Extents(fidelity));
    if (language == Language.EPL) {
      Modules.Epl epl = new Modules.Epl();
      parse(language, epl, text);
      return new EpsilonText(epl, model, epl.matches());
    }
    Modules.Eol eol = new Modules.Eol();
    parse(language, eol, text);
    return new EpsilonText(eol, model, null);
  }

  private static void parse(Language language, EolModule module, String text)
      throws InvalidQueryException {
    boolean parsed;
    try {
      parsed = module.parse(text);
    } catch (Exception e) {
      throw new InvalidQueryException("Malformed " + language + ": the parser failed with " + e);
    } catch (StackOverflowError e) {
      throw new InvalidQueryException("Malformed " + language + ": it is nested too deeply");
    }
    List<ParseProblem> problems = module.getParseProblems();
    if (!parsed || !problems.isEmpty()) {
      throw new InvalidQueryException(
          "Malformed "
              + language
              + ": "
              + problems.stream().map(EpsilonText::problem).collect(Collectors.joining("; ")));
    }
  }

  private static String problem(ParseProblem p) {
    return "line " + p.getLine() + ", column " + (p.getColumn() + 1) + ": " + p.getReason();
  }

  /** What was parsed. */
  public EolModule module() {
    return module;
  }

  /**
   * Evaluates the text.
   *
   * @param variables that it finds set
   * @return as {@link org.modelstress.hawk.query.ResultEncoder} gets it
   * @throws FailedQueryException with line and column where they are known; the object is then of
   *     no more use
   * @throws CancelledSignal if it was cancelled; likewise
   */
  public Object run(GraphAccess graph, Variable... variables) throws FailedQueryException {
    model.use(graph);
    try {
      module.getContext().getFrameStack().putGlobal(variables);
      Object result = module.execute();
      return Results.of(matches == null ? result : List.copyOf(matches), model.names());
    } catch (EolRuntimeException e) {
      throw failure(e, graph);
    } catch (GraphException | TypeNames.AmbiguousNameException e) {
      throw new FailedQueryException(e.getMessage(), e);
    } catch (StackOverflowError e) {
      throw new FailedQueryException("The query failed: its recursion is too deep", e);
    } finally {
      reset();
    }
  }

  private void reset() {
    module.getContext().getFrameStack().dispose();
    module.clearCache();
    QueryContext.renewOutput(module.getContext());
    if (matches != null) {
      matches.clear();
    }
    model.use(null);
  }

  private static FailedQueryException failure(EolRuntimeException e, GraphAccess graph) {
    if (graph.isCancelled()) {
      throw CancelledSignal.instance();
    }
    Throwable cause = e;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    if (cause instanceof StackOverflowError) {
      return new FailedQueryException("The query failed: its recursion is too deep", e);
    }
    ModuleElement ast = e.getAst();
    String place =
        ast == null || ast.getRegion() == null
            ? ""
            : " at line " + e.getLine() + ", column " + (e.getColumn() + 1);
    return new FailedQueryException("The query failed" + place + ": " + reason(e, cause), e);
  }

  private static String reason(EolRuntimeException e, Throwable cause) {
    String reason = e.getReason();
    if (reason == null || reason.isBlank()) {
      reason = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
    return reason.lines().findFirst().orElse("unknown reason");
  }

  /** Whether an exception is that of a cancelled query. */
  static boolean isCancellation(Throwable e) {
    for (Throwable t = e; t != null; t = t.getCause() == t ? null : t.getCause()) {
      if (t instanceof EolTerminationException || t instanceof CancelledSignal) {
        return true;
      }
    }
    return false;
  }

  /** Ends the evaluation at its next step when the query is cancelled. */
  private final class Controller extends DefaultExecutionController {
    @Override
    public boolean isTerminated() {
      GraphAccess graph = model.graph();
      return graph != null && graph.isCancelled();
    }
  }
}
