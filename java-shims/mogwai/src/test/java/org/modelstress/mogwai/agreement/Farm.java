package org.modelstress.mogwai.agreement;

import java.util.ArrayList;
import java.util.List;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EEnum;
import org.eclipse.emf.ecore.EEnumLiteral;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.EcoreFactory;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.impl.EPackageRegistryImpl;
import org.eclipse.emf.ecore.resource.Resource;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;

/**
 * A small metamodel of two packages with every kind of feature: abstract classes and a diamond
 * ({@code Cart}); single and many attributes with and without defaults; single, many, containment,
 * opposite, ordered and unordered, unique and repeating references; the reference {@code next} in
 * two classes; the class {@code Part} in both packages; the class {@code Ghost}, which no model
 * has. Every element has another {@code code}, by which all can be put in order.
 */
final class Farm {
  static final EPackage FARM = ePackage("farm");
  static final EPackage LAB = ePackage("lab");
  static final EEnum COLOUR = colour();
  static final EClass NAMED = abstractClass("Named");
  static final EClass WORLD = type(FARM, "World", NAMED);
  static final EClass THING = abstractClass("Thing", NAMED);
  static final EClass CARRIER = abstractClass("Carrier", NAMED);
  static final EClass CART = type(FARM, "Cart", THING, CARRIER);
  static final EClass PART = type(FARM, "Part", THING);
  static final EClass WHEEL = type(FARM, "Wheel", PART);
  static final EClass GEAR = type(FARM, "Gear", PART);
  static final EClass GHOST = type(FARM, "Ghost", THING);
  static final EClass SAMPLE = type(LAB, "Part", NAMED);
  static final EClass PROBE = type(LAB, "Probe", THING);

  static final EAttribute CODE = attribute(NAMED, "code", EcorePackage.Literals.EINT, null);

  static {
    attributes();
    references();
    for (EPackage each : List.of(FARM, LAB)) {
      // the nsURI as resource address, as for generated packages
      Resource resource = new XMIResourceImpl(URI.createURI(each.getNsURI()));
      resource.getContents().add(each);
    }
  }

  private Farm() {}

  /** Exactly these packages and Ecore. */
  static EPackage.Registry registry() {
    EPackage.Registry registry = new EPackageRegistryImpl();
    registry.put(EcorePackage.eNS_URI, EcorePackage.eINSTANCE);
    registry.put(FARM.getNsURI(), FARM);
    registry.put(LAB.getNsURI(), LAB);
    return registry;
  }

  /** All classes, abstract ones included. */
  static List<EClass> classes() {
    List<EClass> classes = new ArrayList<>();
    for (EPackage each : List.of(FARM, LAB)) {
      for (EClassifier classifier : each.getEClassifiers()) {
        if (classifier instanceof EClass eClass) {
          classes.add(eClass);
        }
      }
    }
    return classes;
  }

  /** Its name in OCL. */
  static String path(EClassifier classifier) {
    return classifier.getEPackage().getName() + "::" + classifier.getName();
  }

  /** Its name with that of its class. */
  static String name(EStructuralFeature feature) {
    return path(feature.getEContainingClass()) + "." + feature.getName();
  }

  private static void attributes() {
    attribute(NAMED, "name", EcorePackage.Literals.ESTRING, null);
    many(attribute(NAMED, "tags", EcorePackage.Literals.ESTRING, null), true, true);
    attribute(THING, "weight", EcorePackage.Literals.EDOUBLE, "1.5");
    attribute(THING, "alive", EcorePackage.Literals.EBOOLEAN, null);
    attribute(THING, "serial", EcorePackage.Literals.ELONG, null);
    attribute(CARRIER, "capacity", EcorePackage.Literals.EINT, "7");
    attribute(CART, "colour", COLOUR, "green");
    attribute(PART, "level", EcorePackage.Literals.EINTEGER_OBJECT, null);
    attribute(PART, "ratio", EcorePackage.Literals.EDOUBLE_OBJECT, null);
    attribute(PART, "limit", EcorePackage.Literals.EINT, "3").setUnsettable(true);
    many(attribute(PART, "marks", EcorePackage.Literals.EINT, null), true, false);
    attribute(WHEEL, "radius", EcorePackage.Literals.EDOUBLE, null);
    attribute(WHEEL, "label", EcorePackage.Literals.ESTRING, "round");
    attribute(GEAR, "teeth", EcorePackage.Literals.EINT, null);
    attribute(GEAR, "worn", EcorePackage.Literals.EBOOLEAN_OBJECT, null);
    attribute(SAMPLE, "amount", EcorePackage.Literals.EINT, null);
    many(attribute(SAMPLE, "purity", EcorePackage.Literals.EDOUBLE, null), false, false);
    many(attribute(SAMPLE, "shades", COLOUR, null), false, true);
    many(attribute(SAMPLE, "flags", EcorePackage.Literals.EBOOLEAN, null), true, false);
    attribute(PROBE, "mode", COLOUR, null);
  }

  private static void references() {
    many(reference(WORLD, "content", NAMED), true, true).setContainment(true);
    reference(WORLD, "favourite", NAMED);
    EReference carries = many(reference(CARRIER, "carries", THING), true, true);
    opposites(carries, many(reference(THING, "carriers", CARRIER), false, true));
    EReference parts = many(reference(CART, "parts", PART), true, true);
    parts.setContainment(true);
    opposites(parts, reference(PART, "cart", CART));
    reference(PART, "next", PART);
    opposites(reference(WHEEL, "spare", WHEEL), reference(WHEEL, "spareOf", WHEEL));
    many(reference(GEAR, "meshes", GEAR), false, true);
    many(reference(GHOST, "haunts", THING), true, true);
    reference(PROBE, "target", THING);
    many(reference(PROBE, "next", PROBE), false, true);
    many(reference(PROBE, "links", NAMED), false, false);
    many(reference(PROBE, "trail", NAMED), true, false);
    many(reference(PROBE, "samples", SAMPLE), true, true).setContainment(true);
  }

  private static EPackage ePackage(String name) {
    EPackage ePackage = EcoreFactory.eINSTANCE.createEPackage();
    ePackage.setName(name);
    ePackage.setNsPrefix(name);
    ePackage.setNsURI("http://example.org/" + name);
    return ePackage;
  }

  private static EEnum colour() {
    EEnum colour = EcoreFactory.eINSTANCE.createEEnum();
    colour.setName("Colour");
    for (String name : List.of("red", "green", "blue")) {
      EEnumLiteral literal = EcoreFactory.eINSTANCE.createEEnumLiteral();
      literal.setName(name);
      literal.setValue(colour.getELiterals().size());
      colour.getELiterals().add(literal);
    }
    FARM.getEClassifiers().add(colour);
    return colour;
  }

  private static EClass abstractClass(String name, EClass... superTypes) {
    EClass type = type(FARM, name, superTypes);
    type.setAbstract(true);
    return type;
  }

  private static EClass type(EPackage ePackage, String name, EClass... superTypes) {
    EClass type = EcoreFactory.eINSTANCE.createEClass();
    type.setName(name);
    type.getESuperTypes().addAll(List.of(superTypes));
    ePackage.getEClassifiers().add(type);
    return type;
  }

  private static EAttribute attribute(EClass type, String name, EDataType of, String value) {
    EAttribute attribute = EcoreFactory.eINSTANCE.createEAttribute();
    attribute.setName(name);
    attribute.setEType(of);
    attribute.setDefaultValueLiteral(value);
    type.getEStructuralFeatures().add(attribute);
    return attribute;
  }

  private static EReference reference(EClass type, String name, EClass to) {
    EReference reference = EcoreFactory.eINSTANCE.createEReference();
    reference.setName(name);
    reference.setEType(to);
    type.getEStructuralFeatures().add(reference);
    return reference;
  }

  private static <F extends EStructuralFeature> F many(F feature, boolean ordered, boolean unique) {
    feature.setUpperBound(-1);
    feature.setOrdered(ordered);
    feature.setUnique(unique);
    return feature;
  }

  private static void opposites(EReference one, EReference other) {
    one.setEOpposite(other);
    other.setEOpposite(one);
  }

  /** One line per element: index, class, what is set; for people. */
  static String describe(List<EObject> elements) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < elements.size(); i++) {
      EObject element = elements.get(i);
      text.append('#').append(i).append(' ').append(path(element.eClass()));
      for (EStructuralFeature feature : element.eClass().getEAllStructuralFeatures()) {
        if (element.eIsSet(feature)) {
          text.append(' ').append(feature.getName()).append('=');
          text.append(describe(element.eGet(feature), elements));
        }
      }
      text.append('\n');
    }
    return text.toString();
  }

  private static String describe(Object value, List<EObject> elements) {
    if (value instanceof List<?> values) {
      return values.stream().map(each -> describe(each, elements)).toList().toString();
    }
    int index = value instanceof EObject ? elements.indexOf(value) : -1;
    return index < 0 ? String.valueOf(value) : "#" + index;
  }
}
