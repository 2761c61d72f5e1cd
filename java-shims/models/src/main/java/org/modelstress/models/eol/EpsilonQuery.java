package org.modelstress.models.eol;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.resource.Resource;
import org.eclipse.epsilon.common.parse.problem.ParseProblem;
import org.eclipse.epsilon.emc.emf.InMemoryEmfModel;
import org.eclipse.epsilon.eol.EolModule;
import org.eclipse.epsilon.eol.exceptions.EolRuntimeException;
import org.modelstress.models.QueryException;

/** What queries in Epsilon's languages share: parsing and executing with errors for people. */
public final class EpsilonQuery {
  /** How EMF prints an element of a model: two addresses, and the name of its class. */
  private static final Pattern ELEMENT =
      Pattern.compile(
          "[\\w.$]+@\\p{XDigit}+ \\(eClass: [\\w.$]+@\\p{XDigit}+ \\(name: (\\w+)\\)"
              + "(?: \\([^()]*\\))*\\)");

  private EpsilonQuery() {}

  /**
   * Parses a text into a fresh module.
   *
   * @param language its name in messages
   * @throws QueryException with line and column if the text is not a query
   */
  public static void parse(EolModule module, String language, String text) throws QueryException {
    // stdout belongs to the programs' answers
    module.getContext().setOutputStream(System.err);
    boolean parsed;
    try {
      parsed = module.parse(text);
    } catch (Exception e) {
      throw new QueryException("Malformed " + language + ": the parser failed with " + e, e);
    }
    if (!parsed || !module.getParseProblems().isEmpty()) {
      String problems =
          module.getParseProblems().stream()
              .map(EpsilonQuery::problem)
              .collect(Collectors.joining("; "));
      throw new QueryException("Malformed " + language + ": " + problems);
    }
  }

  private static String problem(ParseProblem p) {
    return "line " + p.getLine() + ", column " + (p.getColumn() + 1) + ": " + p.getReason();
  }

  /**
   * Executes a parsed module over a model.
   *
   * @param root of a model that is alone in its resource, as {@code ModelFiles.load} gives it
   * @throws QueryException with line and column if the evaluation fails
   */
  public static Object execute(EolModule module, String language, EObject root)
      throws QueryException {
    Resource resource = root.eResource();
    if (resource == null || resource.getResourceSet() == null) {
      throw new IllegalArgumentException(
          language + " needs a model in a resource of a resource set");
    }
    InMemoryEmfModel model = new ReadOnlyModel(resource);
    try {
      module.getContext().getModelRepository().addModel(model);
      return module.execute();
    } catch (EolRuntimeException e) {
      throw new QueryException(
          "The "
              + language
              + " query failed at line "
              + e.getLine()
              + ", column "
              + e.getColumn()
              + ": "
              + named(e.getReason()),
          e);
    } finally {
      module.getContext().getModelRepository().removeModel(model);
      // results of @cached operations do not outlive an execution
      module.clearCache();
    }
  }

  /** A text of Epsilon's without addresses: {@code a Segment} where EMF prints an element. */
  static String named(Object said) {
    return ELEMENT.matcher(String.valueOf(said)).replaceAll("a $1");
  }

  /**
   * The elements of all matches, one after the other.
   *
   * @param matches each with as many parts as {@code tuple} has names
   * @throws QueryException if a match has other parts, or one is no element
   */
  public static List<EObject> flatten(
      Collection<? extends Collection<?>> matches, String language, List<String> tuple)
      throws QueryException {
    List<EObject> flat = new ArrayList<>(matches.size() * tuple.size());
    for (Collection<?> parts : matches) {
      if (parts.size() != tuple.size()) {
        throw new QueryException(
            "A match of the "
                + language
                + " query has "
                + parts.size()
                + " parts, not those of "
                + tuple
                + ".");
      }
      int i = 0;
      for (Object part : parts) {
        if (!(part instanceof EObject element)) {
          throw new QueryException(
              "The part " + tuple.get(i) + " of a match is no element but " + named(part) + ".");
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

    @Override
    public EObject createInstance(String type) {
      throw new UnsupportedOperationException("a query makes no elements");
    }

    @Override
    protected boolean deleteElementInModel(Object instance) {
      throw new UnsupportedOperationException("a query deletes no elements");
    }
  }
}
