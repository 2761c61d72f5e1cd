package org.modelstress.mogwai.agreement;

import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.ocl.ParserException;
import org.eclipse.ocl.ecore.EcoreEnvironmentFactory;
import org.eclipse.ocl.ecore.OCL;
import org.eclipse.ocl.ecore.OCLExpression;

/** Evaluates OCL with Eclipse OCL's own evaluator over a model in memory. */
final class InMemory {
  /** OCL's invalid. */
  static final Object INVALID =
      EcoreEnvironmentFactory.INSTANCE.createEnvironment().getOCLStandardLibrary().getInvalid();

  /** In place of a value: the evaluation takes more steps than a test can wait for. */
  static final Object TOO_LONG = "too long";

  private final Map<EObject, Integer> indices = new IdentityHashMap<>();
  private final Map<EClass, Set<EObject>> extents = new HashMap<>();
  private final ShufflingFactory factory;

  InMemory(List<EObject> elements) {
    for (EObject element : elements) {
      indices.put(element, indices.size());
    }
    for (EClass eClass : Farm.classes()) {
      Set<EObject> extent = new HashSet<>();
      elements.stream().filter(eClass::isInstance).forEach(extent::add);
      extents.put(eClass, extent);
    }
    factory = new ShufflingFactory(Farm.registry(), new PlainOpposites(elements));
  }

  /** The place of an element of the model in containment order. */
  Integer indexOf(Object element) {
    return indices.get(element);
  }

  /**
   * Orders in which sets and bags can come: of the model, its reverse, by chance but the same for
   * all sets of an evaluation, and by chance for each.
   */
  Stream<Order> orders(int count) {
    ToLongFunction<Object> place = value -> indices.getOrDefault(value, Integer.MAX_VALUE);
    Stream<Order> first = Stream.of(Order.by(place), Order.by(value -> -place.applyAsLong(value)));
    return Stream.concat(
        first,
        IntStream.range(0, count)
            .mapToObj(seed -> seed % 2 == 0 ? Order.by(Order.chance(seed)) : Order.chances(seed)));
  }

  /**
   * Parses a query.
   *
   * @throws ParserException if it is not OCL
   */
  Query parse(String text) throws ParserException {
    // not one for all: every tuple type once met makes the next one slower
    OCL ocl = OCL.newInstance(factory);
    OCL.Helper helper = ocl.createOCLHelper();
    helper.setContext(EcorePackage.Literals.EOBJECT);
    ocl.setExtentMap(extents);
    return new Query(ocl, helper.createQuery(text));
  }

  /** A parsed query. */
  final class Query {
    private final OCL ocl;
    private final OCLExpression expression;

    private Query(OCL ocl, OCLExpression expression) {
      this.ocl = ocl;
      this.expression = expression;
    }

    /**
     * Its value, {@link #TOO_LONG} included.
     *
     * @param order in which sets and bags are iterated; null for the order that Eclipse OCL has
     */
    Object evaluate(Order order) {
      factory.begin(order);
      try {
        Object result = ocl.evaluate(null, expression);
        if (factory.wasTooLong()) {
          return TOO_LONG;
        }
        return result;
      } catch (StackOverflowError e) {
        return TOO_LONG; // what closure of Eclipse OCL recurs into without end
      }
    }

    /** The type that Eclipse OCL finds. */
    String type() {
      return expression.getType().getName();
    }
  }
}
