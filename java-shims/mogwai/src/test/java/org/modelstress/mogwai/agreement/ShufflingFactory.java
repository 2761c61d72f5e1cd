package org.modelstress.mogwai.agreement;

import java.util.AbstractCollection;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EEnumLiteral;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EOperation;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EParameter;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.ocl.Environment;
import org.eclipse.ocl.EvaluationEnvironment;
import org.eclipse.ocl.EvaluationHaltedException;
import org.eclipse.ocl.EvaluationVisitor;
import org.eclipse.ocl.ecore.CallOperationAction;
import org.eclipse.ocl.ecore.Constraint;
import org.eclipse.ocl.ecore.EvaluationVisitorImpl;
import org.eclipse.ocl.ecore.OppositePropertyCallExp;
import org.eclipse.ocl.ecore.SendSignalAction;
import org.eclipse.ocl.ecore.opposites.EcoreEnvironmentFactoryWithHiddenOpposites;
import org.eclipse.ocl.ecore.opposites.OppositeEndFinder;
import org.eclipse.ocl.expressions.CollectionLiteralExp;
import org.eclipse.ocl.expressions.IterateExp;
import org.eclipse.ocl.expressions.IteratorExp;
import org.eclipse.ocl.expressions.OperationCallExp;
import org.eclipse.ocl.expressions.PropertyCallExp;
import org.eclipse.ocl.util.Bag;

/**
 * Eclipse OCL's evaluator, with sets and bags whose order is shuffled if so wished: what comes out
 * differently then depends on an order that OCL does not define.
 */
final class ShufflingFactory extends EcoreEnvironmentFactoryWithHiddenOpposites {
  private static final int MOST_STEPS = 30_000;

  private Order order;
  private int steps;

  ShufflingFactory(EPackage.Registry registry, OppositeEndFinder opposites) {
    super(registry, opposites);
  }

  /**
   * Begins an evaluation.
   *
   * @param wanted the order of every set and bag, or null for what Eclipse OCL has
   */
  void begin(Order wanted) {
    order = wanted;
    steps = 0;
  }

  /** Whether the last evaluation was stopped, because it took too many steps. */
  boolean wasTooLong() {
    return steps > MOST_STEPS;
  }

  @Override
  public EvaluationVisitor<
          EPackage,
          EClassifier,
          EOperation,
          EStructuralFeature,
          EEnumLiteral,
          EParameter,
          EObject,
          CallOperationAction,
          SendSignalAction,
          Constraint,
          EClass,
          EObject>
      createEvaluationVisitor(
          Environment<
                  EPackage,
                  EClassifier,
                  EOperation,
                  EStructuralFeature,
                  EEnumLiteral,
                  EParameter,
                  EObject,
                  CallOperationAction,
                  SendSignalAction,
                  Constraint,
                  EClass,
                  EObject>
              environment,
          EvaluationEnvironment<EClassifier, EOperation, EStructuralFeature, EClass, EObject>
              evaluation,
          Map<? extends EClass, ? extends Set<? extends EObject>> extents) {
    return new Shuffling(environment, evaluation, extents);
  }

  private final class Shuffling extends EvaluationVisitorImpl {
    Shuffling(
        Environment<
                EPackage,
                EClassifier,
                EOperation,
                EStructuralFeature,
                EEnumLiteral,
                EParameter,
                EObject,
                CallOperationAction,
                SendSignalAction,
                Constraint,
                EClass,
                EObject>
            environment,
        EvaluationEnvironment<EClassifier, EOperation, EStructuralFeature, EClass, EObject>
            evaluation,
        Map<? extends EClass, ? extends Set<? extends EObject>> extents) {
      super(environment, evaluation, extents);
    }

    @Override
    public Object visitCollectionLiteralExp(CollectionLiteralExp<EClassifier> literal) {
      return shuffled(super.visitCollectionLiteralExp(literal));
    }

    @Override
    public Object visitIterateExp(IterateExp<EClassifier, EParameter> iterate) {
      return shuffled(super.visitIterateExp(iterate));
    }

    @Override
    public Object visitIteratorExp(IteratorExp<EClassifier, EParameter> iterator) {
      return shuffled(super.visitIteratorExp(iterator));
    }

    @Override
    public Object visitOperationCallExp(OperationCallExp<EClassifier, EOperation> call) {
      return shuffled(super.visitOperationCallExp(call));
    }

    @Override
    public Object visitPropertyCallExp(PropertyCallExp<EClassifier, EStructuralFeature> call) {
      return shuffled(super.visitPropertyCallExp(call));
    }

    @Override
    public Object visitOppositePropertyCallExp(OppositePropertyCallExp call) {
      return shuffled(super.visitOppositePropertyCallExp(call));
    }

    private Object shuffled(Object value) {
      steps += 1 + size(value) / 100;
      if (steps > MOST_STEPS) {
        throw new EvaluationHaltedException("too many steps");
      }
      if (order == null) {
        return value;
      }
      if (value instanceof Bag<?> bag && !(value instanceof ShuffledBag)) {
        return new ShuffledBag(bag, arranged(bag));
      }
      if (value instanceof Set<?> set && !(value instanceof LinkedHashSet)) {
        return new ShuffledSet(set, arranged(set));
      }
      return value;
    }

    /** A value that doubles in every step of an iterate would not fit into memory. */
    private int size(Object value) {
      return value instanceof String text
          ? text.length()
          : value instanceof Collection<?> values ? values.size() : 0;
    }

    private List<Object> arranged(Collection<?> values) {
      List<Object> list = new ArrayList<>(values);
      order.arrange(list);
      return list;
    }
  }

  /** A set with an order of its own; a LinkedHashSet would be an ordered set for Eclipse OCL. */
  private static final class ShuffledSet extends AbstractSet<Object> {
    private final Set<?> set;
    private final List<Object> list;

    ShuffledSet(Set<?> set, List<Object> list) {
      this.set = set;
      this.list = list;
    }

    @Override
    public Iterator<Object> iterator() {
      return list.iterator();
    }

    @Override
    public int size() {
      return list.size();
    }

    @Override
    public boolean contains(Object value) {
      return set.contains(value);
    }
  }

  private static final class ShuffledBag extends AbstractCollection<Object> implements Bag<Object> {
    private final Bag<?> bag;
    private final List<Object> list;

    ShuffledBag(Bag<?> bag, List<Object> list) {
      this.bag = bag;
      this.list = list;
    }

    @Override
    public Iterator<Object> iterator() {
      return list.iterator();
    }

    @Override
    public int size() {
      return list.size();
    }

    @Override
    public int count(Object value) {
      return bag.count(value);
    }

    @Override
    public boolean equals(Object other) {
      return bag.equals(other instanceof ShuffledBag shuffled ? shuffled.bag : other);
    }

    @Override
    public int hashCode() {
      return bag.hashCode();
    }
  }
}
