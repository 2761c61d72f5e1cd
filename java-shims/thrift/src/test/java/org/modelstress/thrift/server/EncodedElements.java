package org.modelstress.thrift.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.eclipse.emf.common.util.Enumerator;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.modelstress.hawk.api.AttributeSlot;
import org.modelstress.hawk.api.ContainerSlot;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.ReferenceSlot;

/**
 * Elements of an answer in the order in which they are written, contained ones after their
 * container, and what is expected of them.
 */
public final class EncodedElements {
  /**
   * An element with what it leaves out when that is the same as of the one before.
   *
   * @param file null where the server names none
   */
  public record Whole(
      ModelElement element, String repository, String file, String metamodel, String type) {}

  public final List<Whole> all = new ArrayList<>();
  private String repository;
  private String file;
  private String metamodel;
  private String type;

  public EncodedElements(List<ModelElement> answer) {
    answer.forEach(this::add);
  }

  private void add(ModelElement element) {
    repository = element.isSetRepositoryURL() ? element.getRepositoryURL() : repository;
    file = element.isSetFile() ? element.getFile() : file;
    metamodel = element.isSetMetamodelUri() ? element.getMetamodelUri() : metamodel;
    type = element.isSetTypeName() ? element.getTypeName() : type;
    all.add(new Whole(element, repository, file, metamodel, type));
    if (element.isSetContainers()) {
      for (ContainerSlot slot : element.getContainers()) {
        slot.getElements().forEach(this::add);
      }
    }
  }

  /** An element's attributes as they were sent. */
  public static Map<String, Object> attributes(ModelElement element) {
    Map<String, Object> values = new HashMap<>();
    if (element.isSetAttributes()) {
      for (AttributeSlot slot : element.getAttributes()) {
        values.put(slot.getName(), slot.getValue().getFieldValue());
      }
    }
    return values;
  }

  /** The attributes that an element has in the model. */
  public static Map<String, Object> expectedAttributes(EObject element) {
    Map<String, Object> values = new HashMap<>();
    for (EAttribute attribute : element.eClass().getEAllAttributes()) {
      if (element.eIsSet(attribute)) {
        Object value = element.eGet(attribute);
        values.put(attribute.getName(), value instanceof Enumerator e ? e.getName() : value);
      }
    }
    return values;
  }

  /**
   * Checks that the references that were sent are those of the model, by identifier.
   *
   * @param byId finds an element of the model
   */
  public static void checkReferencesById(
      ModelElement sent, EObject element, Function<String, EObject> byId) {
    Map<String, Set<EObject>> references = new HashMap<>();
    for (ReferenceSlot slot : slots(sent)) {
      assertFalse(slot.isSetPosition() || slot.isSetPositions() || slot.isSetMixed());
      List<String> ids = slot.isSetId() ? List.of(slot.getId()) : slot.getIds();
      assertTrue(slot.isSetId() || ids.size() > 1);
      references.put(slot.getName(), new HashSet<>(ids.stream().map(byId).toList()));
    }
    assertEquals(expectedReferences(element), references);
  }

  /**
   * Checks the same of references by place in the answer.
   *
   * @param elementOf finds the element of the model that was sent
   */
  public void checkReferencesByPlace(
      ModelElement sent, EObject element, Function<ModelElement, EObject> elementOf) {
    Map<String, Set<EObject>> references = new HashMap<>();
    for (ReferenceSlot slot : slots(sent)) {
      assertFalse(slot.isSetId() || slot.isSetIds() || slot.isSetMixed());
      List<Integer> places =
          slot.isSetPosition() ? List.of(slot.getPosition()) : slot.getPositions();
      assertTrue(slot.isSetPosition() || places.size() > 1);
      Set<EObject> targets = new HashSet<>();
      places.forEach(place -> targets.add(elementOf.apply(all.get(place).element())));
      references.put(slot.getName(), targets);
    }
    assertEquals(expectedReferences(element), references);
  }

  private static List<ReferenceSlot> slots(ModelElement element) {
    return element.isSetReferences() ? element.getReferences() : List.of();
  }

  private static Map<String, Set<EObject>> expectedReferences(EObject element) {
    Map<String, Set<EObject>> references = new HashMap<>();
    for (EReference reference : element.eClass().getEAllReferences()) {
      if (!reference.isContainment() && element.eIsSet(reference)) {
        Set<EObject> targets = new HashSet<>();
        Object value = element.eGet(reference);
        if (value instanceof List<?> list) {
          list.forEach(target -> targets.add((EObject) target));
        } else {
          targets.add((EObject) value);
        }
        references.put(reference.getName(), targets);
      }
    }
    return references;
  }
}
