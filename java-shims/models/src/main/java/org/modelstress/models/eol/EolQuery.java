package org.modelstress.models.eol;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.epsilon.eol.EolModule;
import org.modelstress.models.QueryException;

/**
 * A parsed EOL query. It returns a collection of elements, or of Sequences of elements, one per
 * match. EOL can call any Java method: evaluate only texts of people who may run programs here, and
 * those of clients after {@link #parseStrangers}.
 *
 * <p>An instance is for one thread; any number of them may read one model at the same time.
 */
public final class EolQuery {
  private static final String LANGUAGE = "EOL";

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
    return parse(new EolModule(), text);
  }

  /**
   * Parses a query that came from anybody: it reads the model, and neither changes it nor reaches
   * Java, files or other models. What one step of it may take is not bounded.
   *
   * @param ended whether the evaluation ends, with a QueryException, at its next step
   * @throws QueryException with line and column if the text is not a query
   */
  public static EolQuery parseStrangers(String text, BooleanSupplier ended) throws QueryException {
    return parse(new StrangersModule(ended), text);
  }

  private static EolQuery parse(EolModule module, String text) throws QueryException {
    EpsilonQuery.parse(module, LANGUAGE, text);
    return new EolQuery(module);
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
    Object result = EpsilonQuery.execute(module, LANGUAGE, root);
    if (!(result instanceof Collection<?> found)) {
      String what = EpsilonQuery.named(result);
      throw new QueryException("The EOL query's result is not a collection but " + what + ".");
    }
    List<Collection<?>> matches = new ArrayList<>(found.size());
    for (Object match : found) {
      matches.add(
          match instanceof Collection<?> sequence ? sequence : Collections.singletonList(match));
    }
    return EpsilonQuery.flatten(matches, LANGUAGE, tuple);
  }
}
