package org.modelstress.models.ocl;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.emf.common.util.Diagnostic;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.ENamedElement;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.ocl.ecore.EcoreEnvironmentFactory;
import org.eclipse.ocl.ecore.OCL;
import org.eclipse.ocl.ecore.OCLExpression;
import org.eclipse.ocl.util.Tuple;
import org.modelstress.models.QueryException;

/**
 * A parsed OCL query. It begins with {@code package::Type.allInstances()}; its result is a
 * collection of elements, or of Tuples of elements.
 *
 * <p>An instance is for one thread: OCL keeps types and the extent map in it.
 *
 * <p>OCL turns whatever a store throws during the evaluation into {@code invalid}; a store that
 * wants its own message seen throws {@link org.eclipse.ocl.EvaluationHaltedException}.
 */
public final class OclQuery {
  private final OCL ocl;
  private final OCLExpression expression;
  private final BackwardReferences backward;

  private OclQuery(OclParser.Parsed parsed, BackwardReferences backward) {
    this.ocl = parsed.ocl();
    this.expression = parsed.expression();
    this.backward = backward;
  }

  /**
   * Parses and validates a query over the packages of a registry; references can be followed back
   * ({@link BackwardReferences}).
   *
   * @throws QueryException with line and column if the text is not a query
   */
  public static OclQuery parse(String text, EPackage.Registry registry) throws QueryException {
    BackwardReferences backward = new BackwardReferences(registry);
    return new OclQuery(
        OclParser.parse(text, OclParser.environments(registry, backward)), backward);
  }

  /**
   * Parses and validates a query in the environments of a factory.
   *
   * @throws QueryException with line and column if the text is not a query
   */
  public static OclQuery parse(String text, EcoreEnvironmentFactory factory) throws QueryException {
    return new OclQuery(OclParser.parse(text, factory), null);
  }

  /**
   * Evaluates the query over the resource of a model's root.
   *
   * @param tuple names of the parts of a match, in order
   * @return {@code tuple.size()} elements per match, in the order of the result
   * @throws QueryException if the result, or a part of it, is undefined or not an element
   */
  public List<EObject> evaluate(EObject root, List<String> tuple) throws QueryException {
    return flatten(value(root), tuple);
  }

  /**
   * Evaluates the query over the resource of a model's root.
   *
   * @return the value as Eclipse OCL has it; null for OCL's null
   * @throws QueryException if the result is {@code invalid}
   */
  public Object value(EObject root) throws QueryException {
    if (backward != null) {
      backward.over(root);
    }
    return run(root);
  }

  /**
   * Evaluates the query over the extents of a store.
   *
   * @param extents answers {@code get(EClass)} with the instances of the class and its subtypes
   * @param tuple names of the parts of a match, in order
   * @return {@code tuple.size()} elements per match, in the order of the result
   * @throws QueryException if the result, or a part of it, is undefined or not an element
   */
  public List<EObject> evaluate(
      Map<EClass, ? extends Set<? extends EObject>> extents, List<String> tuple)
      throws QueryException {
    if (backward != null) {
      backward.over(null);
    }
    ocl.setExtentMap(extents);
    return flatten(run(null), tuple);
  }

  private Object run(EObject self) throws QueryException {
    Object result = ocl.evaluate(self, expression);
    if (ocl.isInvalid(result)) {
      Diagnostic halted = ocl.getEvaluationProblems();
      throw new QueryException(
          halted == null
              ? "The OCL query's result is invalid."
              : "The OCL query was stopped: " + halted.getMessage());
    }
    return result;
  }

  private List<EObject> flatten(Object result, List<String> tuple) throws QueryException {
    if (!(result instanceof Collection<?> matches)) {
      throw new QueryException("The OCL query's result is not a collection but " + result + ".");
    }
    List<EObject> flat = new ArrayList<>(matches.size() * tuple.size());
    for (Object match : matches) {
      if (match instanceof Tuple<?, ?> parts) {
        for (String name : tuple) {
          flat.add(element(part(parts, name), name));
        }
      } else if (tuple.size() == 1) {
        flat.add(element(match, tuple.get(0)));
      } else {
        throw new QueryException("A match of the OCL query is not a Tuple of " + tuple + ".");
      }
    }
    return flat;
  }

  private static Object part(Tuple<?, ?> match, String name) throws QueryException {
    boolean known =
        match.getTupleType().oclProperties().stream()
            .anyMatch(p -> ((ENamedElement) p).getName().equals(name));
    if (!known) {
      throw new QueryException("A match of the OCL query has no part named " + name + ".");
    }
    return match.getValue(name);
  }

  private EObject element(Object value, String name) throws QueryException {
    if (value == null || ocl.isInvalid(value)) {
      throw new QueryException(
          "The part "
              + name
              + " of a match of the OCL query is "
              + (value == null ? "null." : "invalid."));
    }
    if (value instanceof EObject element && !(value instanceof EClassifier)) {
      return element;
    }
    throw new QueryException("The part " + name + " of a match is no element but " + value + ".");
  }
}
