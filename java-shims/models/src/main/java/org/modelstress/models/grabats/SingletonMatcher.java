package org.modelstress.models.grabats;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EStructuralFeature;

/**
 * The query of the GraBaTs 2009 contest in plain Java, over models of Java sources as {@code
 * JdtExtractor} makes them: a third opinion beside OCL and EOL. Needs no class of Eclipse JDT.
 *
 * <p>A singleton is a type declaration with a method that is public and static and whose return
 * type is a simple type with the declaration's name.
 */
public final class SingletonMatcher {
  private static final String NS_URI = "http://modelstress.org/jdtast/";

  private final EPackage dom;
  private final EClass typeDeclaration;
  private final EClass methodDeclaration;
  private final EClass modifier;
  private final EClass simpleType;
  private final List<EObject> matches = new ArrayList<>();
  private long nodes;
  private long classes;

  /**
   * Looks at everything at and below the roots.
   *
   * @param metamodels those of the model, by nsURI
   * @throws IllegalArgumentException if they are not JDTAST
   */
  public SingletonMatcher(List<? extends EObject> roots, EPackage.Registry metamodels) {
    if (!accepts(metamodels)) {
      throw new IllegalArgumentException("Not a model of Java sources: " + metamodels.keySet());
    }
    dom = metamodels.getEPackage(NS_URI + "DOM");
    typeDeclaration = eClass("TypeDeclaration");
    methodDeclaration = eClass("MethodDeclaration");
    modifier = eClass("Modifier");
    simpleType = eClass("SimpleType");
    for (EObject root : roots) {
      look(root);
      for (Iterator<EObject> all = root.eAllContents(); all.hasNext(); ) {
        look(all.next());
      }
    }
  }

  /** Whether these are the metamodels of models of Java sources. */
  public static boolean accepts(EPackage.Registry metamodels) {
    return metamodels.containsKey(NS_URI + "Core") && metamodels.containsKey(NS_URI + "DOM");
  }

  /** Elements that stand for nodes of JDT's syntax trees. */
  public long nodes() {
    return nodes;
  }

  /** Type declarations that are no interfaces; enums, records and annotation types are others. */
  public long classes() {
    return classes;
  }

  /** The singletons, in containment order. */
  public List<EObject> matches() {
    return List.copyOf(matches);
  }

  private EClass eClass(String name) {
    return (EClass) dom.getEClassifier(name);
  }

  private void look(EObject element) {
    if (element.eClass().getEPackage() == dom) {
      nodes++;
    }
    if (element.eClass() == typeDeclaration) {
      if (!isTrue(element, "interface")) {
        classes++;
      }
      if (isSingleton(element)) {
        matches.add(element);
      }
    }
  }

  private boolean isSingleton(EObject type) {
    for (EObject member : children(type, "bodyDeclarations")) {
      if (member.eClass() == methodDeclaration
          && has(member, "public")
          && has(member, "static")
          && returns(member, name(type))) {
        return true;
      }
    }
    return false;
  }

  private boolean has(EObject method, String keyword) {
    for (EObject each : children(method, "modifiers")) {
      if (each.eClass() == modifier && isTrue(each, keyword)) {
        return true;
      }
    }
    return false;
  }

  private boolean returns(EObject method, String typeName) {
    EObject type = (EObject) value(method, "returnType");
    return type != null && type.eClass() == simpleType && name(type).equals(typeName);
  }

  private static String name(EObject element) {
    return (String) value((EObject) value(element, "name"), "fullyQualifiedName");
  }

  @SuppressWarnings("unchecked")
  private static List<EObject> children(EObject element, String name) {
    EStructuralFeature feature = element.eClass().getEStructuralFeature(name);
    // an unset list is not asked for: it would be created
    return element.eIsSet(feature) ? (List<EObject>) element.eGet(feature) : List.of();
  }

  private static boolean isTrue(EObject element, String name) {
    return Boolean.TRUE.equals(value(element, name));
  }

  private static Object value(EObject element, String name) {
    return element.eGet(element.eClass().getEStructuralFeature(name));
  }
}
