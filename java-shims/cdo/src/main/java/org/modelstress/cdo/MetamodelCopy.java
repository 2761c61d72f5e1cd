package org.modelstress.cdo;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.cdo.util.CDOUtil;
import org.eclipse.emf.common.util.Enumerator;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EEnum;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.util.EcoreUtil;

/**
 * A copy of metamodels whose instances are CDO objects. The original stays as it is, so that the
 * source model remains plain EMF.
 */
final class MetamodelCopy {
  private final List<EPackage> roots;
  private final Map<EClassifier, EClassifier> classifiers = new HashMap<>();

  /** Copies these packages with their subpackages; they must refer only to each other and Ecore. */
  MetamodelCopy(List<EPackage> originals) {
    this.roots = List.copyOf(EcoreUtil.copyAll(originals));
    for (int i = 0; i < roots.size(); i++) {
      CDOUtil.prepareDynamicEPackage(roots.get(i));
      pair(originals.get(i), roots.get(i));
    }
  }

  private void pair(EPackage original, EPackage copy) {
    for (EClassifier classifier : original.getEClassifiers()) {
      classifiers.put(classifier, copy.getEClassifier(classifier.getName()));
    }
    for (int i = 0; i < original.getESubpackages().size(); i++) {
      pair(original.getESubpackages().get(i), copy.getESubpackages().get(i));
    }
  }

  List<EPackage> roots() {
    return roots;
  }

  /** The same feature in the copy. */
  EStructuralFeature feature(EStructuralFeature original) {
    EClass owner = (EClass) classifiers.get(original.getEContainingClass());
    return owner.getEStructuralFeature(original.getName());
  }

  /** A new CDO object with the class and the attribute values of the original. */
  EObject create(EObject original) {
    EClass eClass = (EClass) classifiers.get(original.eClass());
    EObject copy = EcoreUtil.create(eClass);
    for (EAttribute attribute : original.eClass().getEAllAttributes()) {
      if (attribute.isChangeable()
          && !attribute.isDerived()
          && !attribute.isTransient()
          && original.eIsSet(attribute)) {
        copy.eSet(eClass.getEStructuralFeature(attribute.getName()), value(original, attribute));
      }
    }
    return copy;
  }

  private Object value(EObject original, EAttribute attribute) {
    Object value = original.eGet(attribute);
    if (!(attribute.getEAttributeType() instanceof EEnum)) {
      return value;
    }
    EEnum eEnum = (EEnum) classifiers.get(attribute.getEAttributeType());
    if (value instanceof List<?> list) {
      List<Object> literals = new ArrayList<>();
      list.forEach(each -> literals.add(literal(eEnum, each)));
      return literals;
    }
    return literal(eEnum, value);
  }

  private static Object literal(EEnum eEnum, Object value) {
    return eEnum.getEEnumLiteral(((Enumerator) value).getName());
  }
}
