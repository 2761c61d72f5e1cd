package org.modelstress.models.eol;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.resource.Resource;
import org.eclipse.epsilon.common.parse.problem.ParseProblem;
import org.eclipse.epsilon.emc.emf.InMemoryEmfModel;
import org.eclipse.epsilon.eol.EolModule;
import org.eclipse.epsilon.eol.exceptions.EolRuntimeException;
import org.modelstress.models.QueryException;

/**
 * A parsed EOL query. It returns a collection of elements, or of Sequences of elements, one per
 * match. EOL can call any Java method: evaluate only texts of people who may run programs here.
 *
 * <p>An instance is for one thread; any number of them may read one model at the same time.
 */
public final class EolQuery {
  private final EolModule module;

  private EolQuery(EolModule module) {
    this.module = module;
  }

  /**
   * Parses a query.
   *
   * @throws QueryException with line and column if the text is not a query
   */
  public static EolQuery parse(String text) throws QueryException {
    EolModule module = new EolModule();
    // stdout belongs to the programs' answers
    module.getContext().setOutputStream(System.err);
    boolean parsed;
    try {
      parsed = module.parse(text);
    } catch (Exception e) {
      throw new QueryException("Malformed EOL: the parser failed with " + e, e);
    }
    if (!parsed || !module.getParseProblems().isEmpty()) {
      String problems =
          module.getParseProblems().stream()
              .map(EolQuery::problem)
              .collect(Collectors.joining("; "));
      throw new QueryException("Malformed EOL: " + problems);
    }
    return new EolQuery(module);
  }

  private static String problem(ParseProblem p) {
    return "line " + p.getLine() + ", column " + (p.getColumn() + 1) + ": " + p.getReason();
  }

  /**
   * Evaluates the query over a model.
   *
   * @param root of a model that is alone in its resource, as {@code ModelFiles.load} gives it
   * @param tuple names of the parts of a match, in order
   * @return {@code tuple.size()} elements per match, in the order of the result
   * @throws QueryException if the evaluation fails, or a match is not made of so many elements
   */
  public List<EObject> evaluate(EObject root, List<String> tuple) throws QueryException {
    Resource resource = root.eResource();
    if (resource == null || resource.getResourceSet() == null) {
      throw new IllegalArgumentException("EOL needs a model in a resource of a resource set");
    }
    InMemoryEmfModel model = new ReadOnlyModel(resource);
    try {
      module.getContext().getModelRepository().addModel(model);
      return flatten(module.execute(), tuple);
    } catch (EolRuntimeException e) {
      throw new QueryException(
          "The EOL query failed at line "
              + e.getLine()
              + ", column "
              + e.getColumn()
              + ": "
              + e.getReason(),
          e);
    } finally {
      module.getContext().getModelRepository().removeModel(model);
      // results of @cached operations do not outlive an execution
      module.clearCache();
    }
  }

  private static List<EObject> flatten(Object result, List<String> tuple) throws QueryException {
    if (!(result instanceof Collection<?> matches)) {
      throw new QueryException("The EOL query's result is not a collection but " + result + ".");
    }
    List<EObject> flat = new ArrayList<>(matches.size() * tuple.size());
    for (Object match : matches) {
      Collection<?> parts =
          match instanceof Collection<?> sequence ? sequence : Collections.singletonList(match);
      if (parts.size() != tuple.size()) {
        throw new QueryException(
            "A match of the EOL query has " + parts.size() + " parts, not those of " + tuple + ".");
      }
      int i = 0;
      for (Object part : parts) {
        if (!(part instanceof EObject element)) {
          throw new QueryException(
              "The part " + tuple.get(i) + " of a match is no element but " + part + ".");
        }
        flat.add(element);
        i++;
      }
    }
    return flat;
  }

  /** Registers no listeners: they would be added to every element, and other threads read those. */
  private static final class ReadOnlyModel extends InMemoryEmfModel {
    ReadOnlyModel(Resource resource) {
      super(resource, false);
    }

    @Override
    protected void addContentsAdapter() {
      // the model does not change while it is queried
    }
  }
}
