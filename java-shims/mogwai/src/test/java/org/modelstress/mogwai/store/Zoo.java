package org.modelstress.mogwai.store;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EEnum;
import org.eclipse.emf.ecore.EEnumLiteral;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EcoreFactory;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.impl.EPackageRegistryImpl;
import org.eclipse.emf.ecore.util.EcoreUtil;

/** A metamodel with one of every kind of feature, and random models of it. */
public final class Zoo {
  static final String NS_URI = "http://modelstress.test/zoo";

  private static final EcoreFactory ECORE = EcoreFactory.eINSTANCE;
  private static final EcorePackage TYPES = EcorePackage.eINSTANCE;
  private static final String[] TEXTS = {
    "",
    " ",
    "plain",
    "with \"quotes\" and, commas",
    "línea\nnueva\t",
    "日本語 😀",
    "null",
    "x".repeat(200)
  };

  /** Of every data type a way to draw a value. */
  private static final Map<EDataType, Function<Random, Object>> VALUES = new LinkedHashMap<>();

  private static final EEnum COLOUR = colour();

  static {
    VALUES.put(TYPES.getEString(), random -> TEXTS[random.nextInt(TEXTS.length)]);
    VALUES.put(TYPES.getEInt(), Random::nextInt);
    VALUES.put(TYPES.getEIntegerObject(), random -> random.nextInt(5));
    VALUES.put(TYPES.getELong(), Random::nextLong);
    VALUES.put(TYPES.getELongObject(), random -> (long) random.nextInt(3));
    VALUES.put(TYPES.getEShort(), random -> (short) random.nextInt());
    VALUES.put(TYPES.getEShortObject(), random -> (short) random.nextInt());
    VALUES.put(TYPES.getEByte(), random -> (byte) random.nextInt());
    VALUES.put(TYPES.getEByteObject(), random -> (byte) random.nextInt());
    VALUES.put(TYPES.getEChar(), random -> (char) ('a' + random.nextInt(26)));
    VALUES.put(TYPES.getECharacterObject(), random -> (char) ('А' + random.nextInt(26)));
    VALUES.put(TYPES.getEBoolean(), Random::nextBoolean);
    VALUES.put(TYPES.getEBooleanObject(), Random::nextBoolean);
    VALUES.put(TYPES.getEFloat(), Random::nextFloat);
    VALUES.put(TYPES.getEFloatObject(), random -> Float.NEGATIVE_INFINITY);
    VALUES.put(TYPES.getEDouble(), Random::nextGaussian);
    VALUES.put(TYPES.getEDoubleObject(), random -> random.nextBoolean() ? Double.NaN : -0.0);
    VALUES.put(TYPES.getEBigInteger(), random -> new BigInteger(90, random));
    VALUES.put(TYPES.getEBigDecimal(), random -> new BigDecimal(new BigInteger(90, random), 7));
    VALUES.put(TYPES.getEByteArray(), random -> bytes(random));
    VALUES.put(TYPES.getEDate(), random -> new Date(random.nextInt() * 1000L));
    VALUES.put(COLOUR, random -> COLOUR.getELiterals().get(random.nextInt(3)));
  }

  private static final EPackage PACKAGE = ePackage();

  private Zoo() {}

  /** The metamodel, as a registry. */
  public static EPackage.Registry registry() {
    EPackage.Registry registry = new EPackageRegistryImpl();
    registry.put(NS_URI, PACKAGE);
    EPackage inner = PACKAGE.getESubpackages().get(0);
    registry.put(inner.getNsURI(), inner);
    return registry;
  }

  static EClass eClass(String name) {
    return (EClass) PACKAGE.getEClassifier(name);
  }

  private static byte[] bytes(Random random) {
    byte[] bytes = new byte[1 + random.nextInt(5)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static EEnum colour() {
    EEnum colour = ECORE.createEEnum();
    colour.setName("Colour");
    String[][] literals = {{"RED", "red as blood"}, {"GREEN", "green"}, {"BLUE", "BLUE"}};
    for (int i = 0; i < literals.length; i++) {
      EEnumLiteral literal = ECORE.createEEnumLiteral();
      literal.setName(literals[i][0]);
      literal.setLiteral(literals[i][1]);
      literal.setValue(i);
      colour.getELiterals().add(literal);
    }
    return colour;
  }

  private static EPackage ePackage() {
    EPackage zoo = newPackage("zoo", NS_URI);
    EPackage inner = newPackage("inner", NS_URI + "/inner");
    zoo.getESubpackages().add(inner);
    zoo.getEClassifiers().add(COLOUR);
    EClass thing = newClass(zoo, "Thing", true);
    EClass named = newClass(zoo, "Named", true);
    EClass box = newClass(zoo, "Box", false, thing, named);
    newClass(zoo, "Crate", false, box);
    newClass(zoo, "Grain", false, thing);
    newClass(inner, "Pebble", false, thing);
    attribute(named, TYPES.getEString(), "name", 1).setDefaultValueLiteral("nobody");
    EAttribute weight = attribute(named, TYPES.getEInt(), "weight", 1);
    weight.setDefaultValueLiteral("7");
    weight.setUnsettable(true);
    attribute(named, TYPES.getEString(), "notes", -1).setUnsettable(true);
    for (EDataType type : VALUES.keySet()) {
      attribute(thing, type, "one" + type.getName(), 1);
      attribute(thing, type, "many" + type.getName(), -1).setUnique(false);
    }
    EReference children = reference(box, thing, "children", -1);
    children.setContainment(true);
    opposites(children, reference(thing, box, "parent", 1));
    reference(box, thing, "lid", 1).setContainment(true);
    reference(box, box, "drawers", -1).setContainment(true);
    reference(thing, thing, "next", 1);
    reference(thing, thing, "friends", -1);
    reference(thing, thing, "repeats", -1).setUnique(false);
    opposites(reference(thing, thing, "likes", -1), reference(thing, thing, "likedBy", -1));
    opposites(reference(thing, box, "owner", 1), reference(box, thing, "owned", -1));
    opposites(reference(thing, thing, "husband", 1), reference(thing, thing, "wife", 1));
    return zoo;
  }

  static EPackage newPackage(String name, String nsUri) {
    EPackage ePackage = ECORE.createEPackage();
    ePackage.setName(name);
    ePackage.setNsPrefix(name);
    ePackage.setNsURI(nsUri);
    return ePackage;
  }

  static EClass newClass(EPackage owner, String name, boolean isAbstract, EClass... supertypes) {
    EClass eClass = ECORE.createEClass();
    eClass.setName(name);
    eClass.setAbstract(isAbstract);
    eClass.getESuperTypes().addAll(List.of(supertypes));
    owner.getEClassifiers().add(eClass);
    return eClass;
  }

  static EAttribute attribute(EClass owner, EDataType type, String name, int upper) {
    EAttribute attribute = ECORE.createEAttribute();
    attribute.setName(name);
    attribute.setEType(type);
    attribute.setUpperBound(upper);
    owner.getEStructuralFeatures().add(attribute);
    return attribute;
  }

  static EReference reference(EClass owner, EClass type, String name, int upper) {
    EReference reference = ECORE.createEReference();
    reference.setName(name);
    reference.setEType(type);
    reference.setUpperBound(upper);
    owner.getEStructuralFeatures().add(reference);
    return reference;
  }

  private static void opposites(EReference one, EReference other) {
    one.setEOpposite(other);
    other.setEOpposite(one);
  }

  /** A random model with one to three roots. */
  public static List<EObject> model(Random random) {
    List<EClass> concrete = new ArrayList<>();
    PACKAGE.eAllContents().forEachRemaining(each -> addIfConcrete(each, concrete));
    List<EObject> roots = new ArrayList<>();
    List<EObject> all = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      EObject root = EcoreUtil.create(eClass("Box"));
      roots.add(root);
      all.add(root);
    }
    for (int i = random.nextInt(30); i > 0; i--) {
      EObject element = EcoreUtil.create(concrete.get(random.nextInt(concrete.size())));
      contain(element, all, random);
      all.add(element);
    }
    for (EObject element : all) {
      fill(element, all, random);
    }
    return roots;
  }

  private static void addIfConcrete(Object each, List<EClass> concrete) {
    if (each instanceof EClass eClass && !eClass.isAbstract()) {
      concrete.add(eClass);
    }
  }

  private static void contain(EObject element, List<EObject> all, Random random) {
    List<EObject> boxes = all.stream().filter(eClass("Box")::isInstance).toList();
    EObject box = boxes.get(random.nextInt(boxes.size()));
    EClass boxClass = eClass("Box");
    if (random.nextInt(4) == 0 && !box.eIsSet(boxClass.getEStructuralFeature("lid"))) {
      box.eSet(boxClass.getEStructuralFeature("lid"), element);
    } else if (random.nextBoolean() && boxClass.isInstance(element)) {
      insert(box, (EReference) boxClass.getEStructuralFeature("drawers"), element, random);
    } else {
      insert(box, (EReference) boxClass.getEStructuralFeature("children"), element, random);
    }
  }

  private static void fill(EObject element, List<EObject> all, Random random) {
    for (EAttribute attribute : element.eClass().getEAllAttributes()) {
      if (random.nextInt(3) == 0) {
        continue;
      }
      Function<Random, Object> values = VALUES.get(attribute.getEAttributeType());
      if (!attribute.isMany()) {
        element.eSet(attribute, values.apply(random));
        continue;
      }
      List<Object> list = list(element, attribute);
      for (int i = random.nextInt(4); i > 0; i--) {
        list.add(values.apply(random));
      }
      if (attribute.isUnsettable() && random.nextBoolean()) {
        list.clear(); // set, but empty
      }
    }
    for (EReference reference : element.eClass().getEAllReferences()) {
      if (reference.isContainment() || reference.isContainer()) {
        continue;
      }
      for (int i = random.nextInt(reference.isMany() ? 5 : 2); i > 0; i--) {
        EObject target = all.get(random.nextInt(all.size()));
        if (!reference.getEReferenceType().isInstance(target)) {
          continue;
        }
        if (reference.isMany()) {
          insert(element, reference, target, random);
        } else {
          element.eSet(reference, target);
        }
      }
    }
  }

  /** Anywhere, so that positions are not the order in which the elements were made. */
  private static void insert(EObject owner, EReference reference, EObject value, Random random) {
    List<Object> list = list(owner, reference);
    if (!reference.isUnique() || !list.contains(value)) {
      list.add(random.nextInt(list.size() + 1), value);
    }
  }

  @SuppressWarnings("unchecked")
  private static List<Object> list(
      EObject owner, org.eclipse.emf.ecore.EStructuralFeature feature) {
    return (List<Object>) owner.eGet(feature);
  }
}
