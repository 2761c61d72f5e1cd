package org.modelstress.mogwai.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.emf.ecore.util.FeatureMapUtil;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelException;

/** Which features of a class are stored, and how its elements' attributes become properties. */
final class StoredClass {
  /** Names that the schema uses itself. */
  private static final Set<String> RESERVED =
      Set.of(Schema.ID, Schema.INSTANCE_OF, Schema.CONTAINER);

  private final EClass eClass;
  private final List<EAttribute> attributes = new ArrayList<>();
  private final List<EReference> references = new ArrayList<>();

  /**
   * Of a class.
   *
   * @throws ModelException if it has a feature that NeoEMF's schema has no place for
   */
  StoredClass(EClass eClass) throws ModelException {
    this.eClass = eClass;
    for (EStructuralFeature feature : eClass.getEAllStructuralFeatures()) {
      if (!isStored(feature)) {
        continue;
      }
      if (RESERVED.contains(feature.getName()) || FeatureMapUtil.isFeatureMap(feature)) {
        throw new ModelException(
            "Feature "
                + name(feature)
                + " cannot be stored: NeoEMF has no feature maps, and uses the names "
                + String.join(", ", RESERVED.stream().sorted().toList())
                + " itself; change the metamodel.");
      }
      if (feature instanceof EAttribute attribute) {
        attributes.add(attribute);
      } else {
        references.add((EReference) feature);
      }
    }
  }

  /**
   * The classes of a model's elements.
   *
   * @throws ModelException if NeoEMF cannot tell two of them apart, or has no place for a feature
   */
  static Map<EClass, StoredClass> allOf(ElementIndex elements) throws ModelException {
    Map<EClass, StoredClass> classes = new IdentityHashMap<>();
    Map<String, EClass> names = new HashMap<>();
    EClass rootClass = EcorePackage.Literals.EOBJECT;
    names.put(rootClass.getName(), rootClass);
    for (int i = 0; i < elements.size(); i++) {
      EClass eClass = elements.element(i).eClass();
      if (classes.containsKey(eClass)) {
        continue;
      }
      EClass other = names.putIfAbsent(eClass.getName(), eClass);
      if (other != null) {
        throw new ModelException(
            "Classes "
                + Schema.classId(other)
                + " and "
                + Schema.classId(eClass)
                + " have the same name, and NeoEMF finds classes by their name alone; rename one.");
      }
      classes.put(eClass, new StoredClass(eClass));
    }
    return classes;
  }

  /** Derived features are computed; a reference to the container is the containment backwards. */
  private static boolean isStored(EStructuralFeature feature) {
    return !feature.isDerived()
        && !feature.isVolatile()
        && !(feature instanceof EReference reference && reference.isContainer());
  }

  EClass eClass() {
    return eClass;
  }

  List<EAttribute> attributes() {
    return attributes;
  }

  /** The stored references, without those to the container. */
  List<EReference> references() {
    return references;
  }

  /**
   * Adds the properties of an element.
   *
   * @throws ModelException if a value cannot be stored
   */
  void putProperties(EObject element, Map<String, Object> properties) throws ModelException {
    for (EAttribute attribute : attributes) {
      if (!element.eIsSet(attribute)) {
        continue;
      }
      if (attribute.isMany()) {
        List<?> values = (List<?>) element.eGet(attribute);
        properties.put(Schema.size(attribute.getName()), values.size());
        for (int i = 0; i < values.size(); i++) {
          properties.put(Schema.value(attribute.getName(), i), text(attribute, values.get(i)));
        }
      } else {
        Object value = element.eGet(attribute);
        if (value != null || attribute.getDefaultValue() != null) {
          properties.put(attribute.getName(), text(attribute, value));
        }
      }
    }
    for (EReference reference : references) {
      if (reference.isMany() && element.eIsSet(reference)) {
        properties.put(
            Schema.size(reference.getName()), ((List<?>) element.eGet(reference)).size());
      }
    }
  }

  private static String text(EAttribute attribute, Object value) throws ModelException {
    if (value == null) {
      throw new ModelException(
          "Attribute "
              + name(attribute)
              + " is null in some element, in a list or instead of its default value, which NeoEMF"
              + " has no place for; remove it from the model.");
    }
    String text =
        attribute.getEAttributeType().isSerializable()
            ? EcoreUtil.convertToString(attribute.getEAttributeType(), value)
            : null;
    if (text == null) {
      throw new ModelException(
          "Attribute "
              + name(attribute)
              + " has values of type "
              + attribute.getEAttributeType().getName()
              + ", which EMF cannot write as text; unset it.");
    }
    return text;
  }

  /** A feature's name for people, with its class. */
  static String name(EStructuralFeature feature) {
    return feature.getEContainingClass().getName() + '.' + feature.getName();
  }
}
