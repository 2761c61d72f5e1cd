package org.modelstress.cdo;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.cdo.util.CDOUtil;
import org.eclipse.emf.common.util.Enumerator;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EEnum;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;

/**
 * A copy of metamodels whose instances are CDO objects. The original stays as it is, so that the
 * source model remains plain EMF.
 */
final class MetamodelCopy {
  private final List<EPackage> roots;
  private final Map<EClassifier, EClassifier> classifiers = new IdentityHashMap<>();
  private final Map<EStructuralFeature, EStructuralFeature> features = new IdentityHashMap<>();

  /** Copies these packages with their subpackages; they must refer only to each other and Ecore. */
  MetamodelCopy(List<EPackage> originals) {
    this.roots = List.copyOf(EcoreUtil.copyAll(originals));
    for (int i = 0; i < roots.size(); i++) {
      EPackage root = roots.get(i);
      // CDO stores each by itself, where the others are known by these addresses
      new XMIResourceImpl(URI.createURI(root.getNsURI())).getContents().add(root);
      pair(originals.get(i), root);
    }
    roots.forEach(CDOUtil::prepareDynamicEPackage);
    roots.forEach(ElementFactory::of);
  }

  private void pair(EPackage original, EPackage copy) {
    for (int i = 0; i < original.getEClassifiers().size(); i++) {
      EClassifier classifier = original.getEClassifiers().get(i);
      classifiers.put(classifier, copy.getEClassifiers().get(i));
      if (classifier instanceof EClass eClass) {
        pair(eClass, (EClass) copy.getEClassifiers().get(i));
      }
    }
    for (int i = 0; i < original.getESubpackages().size(); i++) {
      pair(original.getESubpackages().get(i), copy.getESubpackages().get(i));
    }
  }

  private void pair(EClass original, EClass copy) {
    for (int i = 0; i < original.getEStructuralFeatures().size(); i++) {
      features.put(original.getEStructuralFeatures().get(i), copy.getEStructuralFeatures().get(i));
    }
  }

  List<EPackage> roots() {
    return roots;
  }

  /** The same feature in the copy. */
  EStructuralFeature feature(EStructuralFeature original) {
    return features.get(original);
  }

  /** A new CDO object with the class and the attribute values of the original. */
  EObject create(EObject original) {
    EObject copy = EcoreUtil.create((EClass) classifiers.get(original.eClass()));
    for (EAttribute attribute : original.eClass().getEAllAttributes()) {
      if (isCopied(attribute) && original.eIsSet(attribute)) {
        copy.eSet(feature(attribute), value(original, attribute));
      }
    }
    return copy;
  }

  /** Whether an attribute's values are stored. */
  static boolean isCopied(EAttribute attribute) {
    return !attribute.isDerived() && !attribute.isTransient();
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
    return value == null ? null : eEnum.getEEnumLiteral(((Enumerator) value).getName());
  }
}
