package org.modelstress.cdo;

import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
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
import org.eclipse.ocl.EvaluationVisitorImpl;
import org.eclipse.ocl.ecore.CallOperationAction;
import org.eclipse.ocl.ecore.Constraint;
import org.eclipse.ocl.ecore.SendSignalAction;
import org.eclipse.ocl.expressions.CollectionLiteralExp;
import org.eclipse.ocl.expressions.CollectionLiteralPart;
import org.eclipse.ocl.expressions.CollectionRange;

/** Evaluates OCL, whose ranges of numbers are not too long. */
final class BoundedVisitor
    extends EvaluationVisitorImpl<
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
        EObject> {
  private final LongConsumer check;

  /**
   * For one evaluation.
   *
   * @param check told the length of every range; throws for one that is too long
   */
  BoundedVisitor(
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
      Map<? extends EClass, ? extends Set<? extends EObject>> extents,
      LongConsumer check) {
    super(environment, evaluation, extents);
    this.check = check;
  }

  @Override
  public Object visitCollectionLiteralExp(CollectionLiteralExp<EClassifier> literal) {
    for (CollectionLiteralPart<EClassifier> part : literal.getPart()) {
      if (part instanceof CollectionRange<EClassifier> range
          && range.getFirst().accept(getVisitor()) instanceof Number first
          && range.getLast().accept(getVisitor()) instanceof Number last) {
        check.accept(last.longValue() - first.longValue() + 1);
      }
    }
    return super.visitCollectionLiteralExp(literal);
  }
}
