package org.modelstress.models.epl;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.epsilon.eol.exceptions.EolRuntimeException;
import org.eclipse.epsilon.epl.EplModule;
import org.eclipse.epsilon.epl.dom.Pattern;
import org.eclipse.epsilon.epl.dom.Role;
import org.eclipse.epsilon.epl.execute.PatternMatch;
import org.modelstress.models.QueryException;
import org.modelstress.models.eol.EpsilonQuery;

/**
 * A parsed EPL query: patterns whose roles have the names of the parts of a match; several patterns
 * add up. EPL can call any Java method: evaluate only texts of people who may run programs here.
 *
 * <p>An instance is for one thread; any number of them may read one model at the same time.
 */
public final class EplQuery {
  private static final String LANGUAGE = "EPL";

  private final Module module;

  private EplQuery(Module module) {
    this.module = module;
  }

  /**
   * Keeps every match. Epsilon's own result is a hash set of matches that are equal whenever they
   * have the same roles, so two of them with the same identity hash code would become one.
   */
  private static final class Module extends EplModule {
    final List<PatternMatch> matches = new ArrayList<>();

    @Override
    public Collection<PatternMatch> match(Pattern pattern) throws EolRuntimeException {
      Collection<PatternMatch> found = super.match(pattern);
      matches.addAll(found);
      return found;
    }
  }

  /**
   * Parses a query.
   *
   * @throws QueryException with line and column if the text is not a query, or has no pattern
   */
  public static EplQuery parse(String text) throws QueryException {
    Module module = new Module();
    EpsilonQuery.parse(module, LANGUAGE, text);
    if (module.getDeclaredPatterns().isEmpty()) {
      throw new QueryException("Malformed EPL: line 1, column 1: there is no pattern");
    }
    return new EplQuery(module);
  }

  /**
   * Evaluates the query over a model.
   *
   * @param root of a model that is alone in its resource, as {@code ModelFiles.load} gives it
   * @param tuple names of the roles that make a match, in order; other roles are left out
   * @return {@code tuple.size()} elements per match, in the order of the result
   * @throws QueryException if the evaluation fails, a pattern has no such role, or a part of a
   *     match is not an element
   */
  public List<EObject> evaluate(EObject root, List<String> tuple) throws QueryException {
    checkRoles(tuple);
    module.matches.clear();
    EpsilonQuery.execute(module, LANGUAGE, root);
    List<List<Object>> matches = new ArrayList<>(module.matches.size());
    for (PatternMatch match : module.matches) {
      Map<String, Object> roles = match.getRoleBindings();
      List<Object> parts = new ArrayList<>(tuple.size());
      tuple.forEach(name -> parts.add(roles.get(name)));
      matches.add(parts);
    }
    return EpsilonQuery.flatten(matches, LANGUAGE, tuple);
  }

  /** A role that is not there would only be noticed when there is a match. */
  private void checkRoles(List<String> tuple) throws QueryException {
    for (Pattern pattern : module.getDeclaredPatterns()) {
      Set<String> names = new HashSet<>();
      for (Role role : pattern.getRoles()) {
        names.addAll(role.getNames());
      }
      for (String name : tuple) {
        if (!names.contains(name)) {
          throw new QueryException(
              "The pattern " + pattern.getName() + " of the EPL query has no role " + name + ".");
        }
      }
    }
  }
}
