package org.modelstress.models;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EStructuralFeature;

/** What a metamodel from outside has to be, checked before a value of it is made. */
public final class MetamodelRules {
  /**
   * Classes and features that all classes together inherit, counted for each class anew: EMF keeps
   * them all, and takes longer still to find them. UML has some ten thousand.
   */
  private static final int MOST_INHERITED = 200_000;

  private MetamodelRules() {}

  /**
   * Checks a package and everything in it.
   *
   * @throws IllegalArgumentException saying what is wrong
   */
  public static void check(EPackage ePackage) {
    checkInheritance(ePackage);
    for (var all = ePackage.eAllContents(); all.hasNext(); ) {
      String problem = problem(all.next());
      if (problem != null) {
        throw new IllegalArgumentException("metamodel " + ePackage.getNsURI() + " " + problem);
      }
    }
  }

  /**
   * Checks only how much the classes of a package inherit, before anything asks EMF for it.
   *
   * @throws IllegalArgumentException if it is too much
   */
  public static void checkInheritance(EPackage ePackage) {
    String inherited = inheritance(ePackage.eAllContents());
    if (inherited != null) {
      throw new IllegalArgumentException("metamodel " + ePackage.getNsURI() + " " + inherited);
    }
  }

  /** What is wrong with all classes among these elements together; null if nothing. */
  static String inheritance(Iterator<EObject> all) {
    long inherited = 0;
    while (all.hasNext()) {
      if (all.next() instanceof EClass eClass) {
        Deque<EClass> open = new ArrayDeque<>(eClass.getESuperTypes());
        Set<EClass> above = new HashSet<>();
        while (!open.isEmpty() && inherited <= MOST_INHERITED) {
          EClass next = open.remove();
          if (above.add(next)) {
            inherited += 1 + next.getEStructuralFeatures().size();
            open.addAll(next.getESuperTypes());
          }
        }
      }
      if (inherited > MOST_INHERITED) {
        return "has classes that inherit more than "
            + MOST_INHERITED
            + " classes and features together; give it fewer classes, or less deep ones";
      }
    }
    return null;
  }

  /** What is wrong with one element of a metamodel, after its name; null if nothing. */
  static String problem(EObject each) {
    if (each instanceof EClassifier classifier) {
      if (isMissing(classifier.getName())) {
        return "has a class or data type without name, give it one";
      }
      if (each instanceof EDataType type) {
        return DataTypes.problem(type);
      }
      return problem((EClass) each);
    }
    // one without class is part of an annotation, which nothing is an instance of
    return each instanceof EStructuralFeature feature && feature.getEContainingClass() != null
        ? problem(feature)
        : null;
  }

  private static String problem(EStructuralFeature feature) {
    String owner = feature.getEContainingClass().getName();
    if (isMissing(feature.getName())) {
      return "has a feature without name in " + owner + ", give it one";
    }
    if (feature.getEType() == null || feature.getEType().eIsProxy()) {
      return "has a feature of unknown type, "
          + owner
          + "."
          + feature.getName()
          + "; name the Ecore file of its type too";
    }
    return DataTypes.problem(feature);
  }

  private static String problem(EClass eClass) {
    if (eClass.getESuperTypes().stream().anyMatch(EObject::eIsProxy)) {
      return "has a class of unknown supertype, "
          + eClass.getName()
          + "; name the Ecore file of that too";
    }
    return isOwnSupertype(eClass)
        ? "has a class that is its own supertype, " + eClass.getName()
        : null;
  }

  private static boolean isOwnSupertype(EClass eClass) {
    Deque<EClass> open = new ArrayDeque<>(eClass.getESuperTypes());
    Set<EClass> above = new HashSet<>();
    while (!open.isEmpty()) {
      EClass next = open.remove();
      if (above.add(next)) {
        open.addAll(next.getESuperTypes());
      }
    }
    return above.contains(eClass);
  }

  static boolean isMissing(String name) {
    return name == null || name.isBlank();
  }
}
