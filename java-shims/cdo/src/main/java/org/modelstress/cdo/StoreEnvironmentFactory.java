package org.modelstress.cdo;

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
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.ocl.Environment;
import org.eclipse.ocl.EvaluationEnvironment;
import org.eclipse.ocl.EvaluationHaltedException;
import org.eclipse.ocl.EvaluationVisitor;
import org.eclipse.ocl.ecore.CallOperationAction;
import org.eclipse.ocl.ecore.Constraint;
import org.eclipse.ocl.ecore.EcoreEnvironmentFactory;
import org.eclipse.ocl.ecore.EcoreEvaluationEnvironment;
import org.eclipse.ocl.ecore.SendSignalAction;

/**
 * OCL over a store that can fail. Eclipse OCL turns an exception met while it navigates into {@code
 * invalid}, which a query may then take for an undefined value and answer wrongly without a word;
 * here such an exception ends the evaluation. Belongs to one query.
 */
final class StoreEnvironmentFactory extends EcoreEnvironmentFactory {
  private final QueryBounds bounds;
  private RuntimeException failure;

  StoreEnvironmentFactory(EPackage.Registry registry, QueryBounds bounds) {
    super(registry);
    this.bounds = bounds;
  }

  @Override
  public EvaluationEnvironment<EClassifier, EOperation, EStructuralFeature, EClass, EObject>
      createEvaluationEnvironment() {
    return new StoreEnvironment(this);
  }

  @Override
  public EvaluationEnvironment<EClassifier, EOperation, EStructuralFeature, EClass, EObject>
      createEvaluationEnvironment(
          EvaluationEnvironment<EClassifier, EOperation, EStructuralFeature, EClass, EObject>
              parent) {
    return new StoreEnvironment(parent);
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
    return new BoundedVisitor(environment, evaluation, extents, this::checkRange);
  }

  private void checkRange(long elements) {
    try {
      bounds.step();
      LargeValues.checkSize(elements);
    } catch (IllegalStateException e) {
      throw halted(e);
    }
  }

  /** Remembers a failure of the store; the exception to throw is one that OCL lets through. */
  EvaluationHaltedException halted(RuntimeException e) {
    if (failure == null) {
      failure = e;
    }
    return new EvaluationHaltedException(e.getMessage(), e);
  }

  /** What the store failed with during the evaluation, or null: the result alone does not tell. */
  RuntimeException failure() {
    return failure;
  }

  private final class StoreEnvironment extends EcoreEvaluationEnvironment {
    StoreEnvironment(EcoreEnvironmentFactory factory) {
      super(factory);
    }

    StoreEnvironment(
        EvaluationEnvironment<EClassifier, EOperation, EStructuralFeature, EClass, EObject>
            parent) {
      super(parent);
    }

    /** Every loop of OCL comes by here at every turn. */
    @Override
    public void replace(String name, Object value) {
      check(value);
      super.replace(name, value);
    }

    @Override
    public void add(String name, Object value) {
      check(value);
      super.add(name, value);
    }

    @Override
    public Object getValueOf(String name) {
      Object value = super.getValueOf(name);
      check(value);
      return value;
    }

    private void check(Object value) {
      try {
        bounds.step(value);
        LargeValues.check(value);
      } catch (IllegalStateException e) {
        throw halted(e);
      }
    }

    @Override
    public boolean overrides(EOperation operation, int code) {
      return LargeValues.isWatched(code) || super.overrides(operation, code);
    }

    /** Operations of Ecore reach Java's classes, from elements whose class extends one of Ecore. */
    @Override
    public Object callOperation(EOperation operation, int code, Object source, Object[] arguments) {
      if (operation.getEContainingClass() != null
          && operation.getEContainingClass().getEPackage() == EcorePackage.eINSTANCE) {
        throw halted(
            new IllegalArgumentException(
                "The query calls " + operation.getName() + " of Ecore, which is not answered."));
      }
      if (LargeValues.isWatched(code)) {
        try {
          bounds.step();
          return LargeValues.call(code, source, arguments, bounds::step);
        } catch (IllegalStateException e) {
          throw halted(e);
        }
      }
      return super.callOperation(operation, code, source, arguments);
    }

    @Override
    public Object navigateProperty(EStructuralFeature property, List<?> qualifiers, Object target) {
      check(null);
      try {
        return super.navigateProperty(property, qualifiers, target);
      } catch (RuntimeException e) {
        throw halted(e);
      }
    }
  }
}
