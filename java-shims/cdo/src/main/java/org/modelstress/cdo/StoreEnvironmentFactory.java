package org.modelstress.cdo;

import java.util.List;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EOperation;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.ocl.EvaluationEnvironment;
import org.eclipse.ocl.EvaluationHaltedException;
import org.eclipse.ocl.ecore.EcoreEnvironmentFactory;
import org.eclipse.ocl.ecore.EcoreEvaluationEnvironment;

/**
 * OCL over a store that can fail. Eclipse OCL turns an exception met while it navigates into {@code
 * invalid}, which a query may then take for an undefined value and answer wrongly without a word;
 * here such an exception ends the evaluation.
 */
final class StoreEnvironmentFactory extends EcoreEnvironmentFactory {
  StoreEnvironmentFactory(EPackage.Registry registry) {
    super(registry);
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

  /** The exception that ends the evaluation, with the store's own message. */
  static EvaluationHaltedException halted(RuntimeException failure) {
    return new EvaluationHaltedException("the store failed: " + failure, failure);
  }

  private static final class StoreEnvironment extends EcoreEvaluationEnvironment {
    StoreEnvironment(EcoreEnvironmentFactory factory) {
      super(factory);
    }

    StoreEnvironment(
        EvaluationEnvironment<EClassifier, EOperation, EStructuralFeature, EClass, EObject>
            parent) {
      super(parent);
    }

    @Override
    public Object navigateProperty(
        EStructuralFeature property, List<?> qualifiers, Object target) {
      try {
        return super.navigateProperty(property, qualifiers, target);
      } catch (RuntimeException e) {
        throw halted(e);
      }
    }
  }
}
