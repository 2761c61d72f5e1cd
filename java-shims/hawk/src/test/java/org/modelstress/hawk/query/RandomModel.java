package org.modelstress.hawk.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EcoreFactory;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.resource.impl.ResourceSetImpl;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;

/** Small random models with attributes of all kinds, many of them unset. */
final class RandomModel {
  static final String URI_OF_PACKAGE = "http://example.org/things";
  static final List<String> ATTRIBUTES = List.of("n", "m", "l", "d", "s", "b", "o");

  private static final EPackage PACKAGE = ePackage();

  private RandomModel() {}

  private static EPackage ePackage() {
    EcoreFactory ecore = EcoreFactory.eINSTANCE;
    EPackage things = ecore.createEPackage();
    things.setName("things");
    things.setNsPrefix("t");
    things.setNsURI(URI_OF_PACKAGE);
    EClass thing = type(things, "Thing");
    attribute(thing, "n", EcorePackage.Literals.EINT);
    attribute(thing, "m", EcorePackage.Literals.EINTEGER_OBJECT);
    attribute(thing, "l", EcorePackage.Literals.ELONG);
    attribute(thing, "d", EcorePackage.Literals.EDOUBLE);
    attribute(thing, "s", EcorePackage.Literals.ESTRING);
    attribute(thing, "b", EcorePackage.Literals.EBOOLEAN);
    attribute(thing, "o", EcorePackage.Literals.EBOOLEAN_OBJECT);
    attribute(thing, "plain", EcorePackage.Literals.EINT);
    reference(thing, "parts", thing, true, true);
    reference(thing, "friends", thing, true, false);
    reference(thing, "best", thing, false, false);
    EClass special = type(things, "Special");
    special.getESuperTypes().add(thing);
    attribute(special, "extra", EcorePackage.Literals.EINT);
    return things;
  }

  private static EClass type(EPackage things, String name) {
    EClass type = EcoreFactory.eINSTANCE.createEClass();
    type.setName(name);
    things.getEClassifiers().add(type);
    return type;
  }

  private static void attribute(EClass type, String name, EDataType of) {
    EAttribute attribute = EcoreFactory.eINSTANCE.createEAttribute();
    attribute.setName(name);
    attribute.setEType(of);
    type.getEStructuralFeatures().add(attribute);
  }

  private static void reference(
      EClass type, String name, EClass to, boolean many, boolean containment) {
    EReference reference = EcoreFactory.eINSTANCE.createEReference();
    reference.setName(name);
    reference.setEType(to);
    reference.setUpperBound(many ? -1 : 1);
    reference.setContainment(containment);
    type.getEStructuralFeatures().add(reference);
  }

  /** A model of so many elements, its root alone in a resource. */
  static EObject of(Random random, int size) {
    List<EObject> all = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      EClass type = (EClass) PACKAGE.getEClassifier(random.nextInt(3) == 0 ? "Special" : "Thing");
      EObject element = EcoreUtil.create(type);
      if (i > 0) {
        add(all.get(random.nextInt(i)), "parts", element);
      }
      all.add(element);
    }
    for (EObject element : all) {
      fill(element, random);
      if (random.nextBoolean()) {
        element.eSet(feature(element, "best"), all.get(random.nextInt(size)));
      }
      for (int k = random.nextInt(3); k > 0; k--) {
        add(element, "friends", all.get(random.nextInt(size)));
      }
    }
    XMIResourceImpl resource = new XMIResourceImpl(URI.createURI("memory:/things.xmi"));
    ResourceSetImpl set = new ResourceSetImpl();
    set.getPackageRegistry().put(URI_OF_PACKAGE, PACKAGE);
    set.getResources().add(resource);
    resource.getContents().add(all.get(0));
    return all.get(0);
  }

  private static org.eclipse.emf.ecore.EStructuralFeature feature(EObject element, String name) {
    return element.eClass().getEStructuralFeature(name);
  }

  @SuppressWarnings("unchecked")
  private static void add(EObject to, String reference, EObject element) {
    List<EObject> list = (List<EObject>) to.eGet(feature(to, reference));
    if (!list.contains(element)) {
      list.add(element);
    }
  }

  private static void fill(EObject element, Random random) {
    set(element, "n", random.nextInt(7) - 3, random);
    set(element, "m", random.nextInt(7) - 3, random);
    set(
        element,
        "l",
        List.of(-1L, 0L, 3L, 1L << 40, (1L << 53) + 1).get(random.nextInt(5)),
        random);
    set(element, "d", List.of(-0.5, -0.0, 1.0, 1.5, Double.NaN).get(random.nextInt(5)), random);
    set(element, "s", List.of("", "a", "b", "c").get(random.nextInt(4)), random);
    set(element, "b", random.nextBoolean(), random);
    set(element, "o", random.nextBoolean(), random);
    set(element, "plain", random.nextInt(5) - 2, random);
  }

  private static void set(EObject element, String attribute, Object value, Random random) {
    if (random.nextInt(4) > 0) {
      element.eSet(feature(element, attribute), value);
    }
  }
}
