package org.modelstress.mogwai.gremlin;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.impl.EPackageRegistryImpl;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;

/** A small metamodel with what Train has not: equal names, defaults, lists, two packages. */
final class Zoo {
  private static final String ECORE =
      """
      <ecore:EPackage xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI"
          xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
          xmlns:ecore="http://www.eclipse.org/emf/2002/Ecore"
          name="zoo" nsURI="http://zoo.test" nsPrefix="zoo">
        <eClassifiers xsi:type="ecore:EClass" name="House">
          <eStructuralFeatures xsi:type="ecore:EReference" name="all" upperBound="-1"
              eType="#//Thing" containment="true" eOpposite="#//Thing/house"/>
        </eClassifiers>
        <eClassifiers xsi:type="ecore:EClass" name="Thing" abstract="true">
          <eStructuralFeatures xsi:type="ecore:EReference" name="house" eType="#//House"
              eOpposite="#//House/all"/>
          <eStructuralFeatures xsi:type="ecore:EAttribute" name="no"
              eType="ecore:EDataType http://www.eclipse.org/emf/2002/Ecore#//EInt"
              defaultValueLiteral="7"/>
          <eStructuralFeatures xsi:type="ecore:EAttribute" name="tags" upperBound="-1"
              unique="false"
              eType="ecore:EDataType http://www.eclipse.org/emf/2002/Ecore#//EString"/>
          <eStructuralFeatures xsi:type="ecore:EAttribute" name="mood" eType="#//Mood"
              defaultValueLiteral="good"/>
          <eStructuralFeatures xsi:type="ecore:EAttribute" name="weight"
              eType="ecore:EDataType http://www.eclipse.org/emf/2002/Ecore#//EFloat"/>
          <eStructuralFeatures xsi:type="ecore:EAttribute" name="text"
              eType="ecore:EDataType http://www.eclipse.org/emf/2002/Ecore#//EString"/>
        </eClassifiers>
        <eClassifiers xsi:type="ecore:EClass" name="Fish" eSuperTypes="#//Thing"/>
        <eClassifiers xsi:type="ecore:EClass" name="Bone" eSuperTypes="#//Thing"/>
        <eClassifiers xsi:type="ecore:EClass" name="Cat" eSuperTypes="#//Thing">
          <eStructuralFeatures xsi:type="ecore:EReference" name="likes" upperBound="-1"
              unique="false" eType="#//Fish"/>
          <eStructuralFeatures xsi:type="ecore:EReference" name="eats" eType="#//Fish"/>
        </eClassifiers>
        <eClassifiers xsi:type="ecore:EClass" name="Dog" eSuperTypes="#//Thing">
          <eStructuralFeatures xsi:type="ecore:EReference" name="likes" upperBound="-1"
              eType="#//Bone"/>
          <eStructuralFeatures xsi:type="ecore:EReference" name="eats" eType="#//Thing"/>
        </eClassifiers>
        <eClassifiers xsi:type="ecore:EEnum" name="Mood">
          <eLiterals name="BAD" literal="bad"/>
          <eLiterals name="GOOD" value="1" literal="good"/>
        </eClassifiers>
        <eSubpackages name="wild" nsURI="http://zoo.test/wild" nsPrefix="wild">
          <eClassifiers xsi:type="ecore:EClass" name="Lynx" eSuperTypes="#//Cat"/>
        </eSubpackages>
      </ecore:EPackage>
      """;

  static final EPackage PACKAGE = read();

  private Zoo() {}

  private static EPackage read() {
    XMIResourceImpl resource = new XMIResourceImpl(URI.createURI("http://zoo.test"));
    try {
      resource.load(new ByteArrayInputStream(ECORE.getBytes(StandardCharsets.UTF_8)), null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return (EPackage) resource.getContents().get(0);
  }

  static EPackage.Registry registry() {
    EPackage.Registry registry = new EPackageRegistryImpl();
    registry.put(EcorePackage.eNS_URI, EcorePackage.eINSTANCE);
    registry.put(PACKAGE.getNsURI(), PACKAGE);
    EPackage wild = PACKAGE.getESubpackages().get(0);
    registry.put(wild.getNsURI(), wild);
    return registry;
  }

  /** A house with two fish, a bone, a cat, a lynx and a dog. */
  static EObject model() {
    EObject house = create("House");
    EObject f1 = in(house, "Fish");
    EObject f2 = in(house, "Fish");
    EObject bone = in(house, "Bone");
    EObject cat = in(house, "Cat");
    EObject lynx =
        EcoreUtil.create((EClass) PACKAGE.getESubpackages().get(0).getEClassifier("Lynx"));
    list(house, "all").add(lynx);
    EObject dog = in(house, "Dog");
    list(cat, "likes").addAll(List.of(f2, f1, f2));
    list(lynx, "likes").add(f1);
    list(dog, "likes").add(bone);
    set(cat, "eats", f1);
    set(dog, "eats", f1);
    set(f1, "no", 0);
    set(f2, "weight", 2.1f);
    set(cat, "text", "");
    list(cat, "tags").addAll(List.of("b", "a", "b"));
    new XMIResourceImpl(URI.createURI("memory:/zoo.xmi")).getContents().add(house);
    return house;
  }

  private static EObject create(String type) {
    return EcoreUtil.create((EClass) PACKAGE.getEClassifier(type));
  }

  private static EObject in(EObject house, String type) {
    EObject created = create(type);
    list(house, "all").add(created);
    return created;
  }

  @SuppressWarnings("unchecked") // EMF's lists hold what the feature's type says
  private static List<Object> list(EObject of, String feature) {
    return (List<Object>) of.eGet(of.eClass().getEStructuralFeature(feature));
  }

  private static void set(EObject of, String feature, Object value) {
    of.eSet(of.eClass().getEStructuralFeature(feature), value);
  }
}
