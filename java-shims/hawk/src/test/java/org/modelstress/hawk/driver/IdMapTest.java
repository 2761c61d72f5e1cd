package org.modelstress.hawk.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.junit.jupiter.api.Test;
import org.modelstress.hawk.api.ContainerSlot;
import org.modelstress.hawk.api.MixedReference;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.ReferenceSlot;
import org.modelstress.hawk.index.TrainFixture;
import org.modelstress.models.ElementIndex;

/** Finding a model's elements among those of a store, which are made of the same model here. */
class IdMapTest {
  private final EObject root = TrainFixture.model(19871053);
  private final ElementIndex index = new ElementIndex(root);

  private String id(EObject element) {
    return "#" + index.indexOf(element) + ":0";
  }

  private List<String> expected() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < index.size(); i++) {
      ids.add(id(index.element(i)));
    }
    return ids;
  }

  private StoreElement element(EObject element, boolean nested) {
    Map<String, String> attributes = new HashMap<>();
    for (EAttribute attribute : element.eClass().getEAllAttributes()) {
      if (element.eIsSet(attribute)) {
        attributes.put(attribute.getName(), String.valueOf(element.eGet(attribute)));
      }
    }
    Map<String, List<String>> references = new HashMap<>();
    for (EReference reference : element.eClass().getEAllReferences()) {
      if (!reference.isContainment() && element.eIsSet(reference)) {
        references.put(reference.getName(), targets(element.eGet(reference)));
      }
    }
    Map<String, List<StoreElement>> contained = new HashMap<>();
    for (EReference reference : element.eClass().getEAllContainments()) {
      List<StoreElement> children = new ArrayList<>();
      for (EObject child : element.eContents()) {
        if (nested && child.eContainmentFeature() == reference) {
          children.add(element(child, true));
        }
      }
      if (!children.isEmpty()) {
        contained.put(reference.getName(), children);
      }
    }
    String type = element.eClass().getName();
    return new StoreElement(id(element), type, attributes, references, contained);
  }

  private List<String> targets(Object value) {
    List<?> targets = value instanceof List<?> many ? many : List.of(value);
    return targets.stream().map(target -> id((EObject) target)).toList();
  }

  /** As a graph database gives it that links the newest edge of a node first. */
  private static StoreElement lastFirst(StoreElement element) {
    for (List<StoreElement> children : element.contained().values()) {
      Collections.reverse(children);
      children.forEach(IdMapTest::lastFirst);
    }
    return element;
  }

  private void unsetAttributes() {
    for (int i = 0; i < index.size(); i++) {
      EObject element = index.element(i);
      element.eClass().getEAllAttributes().forEach(element::eUnset);
    }
  }

  private List<StoreElement> shuffled() {
    List<StoreElement> store = new ArrayList<>();
    for (int i = 0; i < index.size(); i++) {
      store.add(element(index.element(i), false));
    }
    Collections.shuffle(store, new Random(1));
    return store;
  }

  @Test
  void elementsAreToldApartByTheirAttributeInAnyOrder() {
    IdMap map = new IdMap(List.of(root));
    assertEquals("id", map.identifyingAttribute());
    map.match(shuffled(), "id");
    assertEquals(expected(), map.ids());
  }

  @Test
  void elementsWithoutSuchAnAttributeAreFoundByTheirPlace() {
    IdMap map = new IdMap(List.of(root));
    map.align(List.of(element(root, true)));
    assertEquals(expected(), map.ids());
  }

  @Test
  void elementsThatTheStoreGivesLastFirstAreFoundByTheirPlaceToo() {
    IdMap map = new IdMap(List.of(root));
    map.align(List.of(lastFirst(element(root, true))));
    assertEquals(expected(), map.ids());
  }

  @Test
  void referencesSayInWhatOrderElementsAre() {
    unsetAttributes();
    IdMap map = new IdMap(List.of(root));
    map.align(List.of(lastFirst(element(root, true))));
    assertEquals(expected(), map.ids());
  }

  @Test
  void elementsInNoOrderAreNotFoundByTheirPlace() {
    StoreElement store = element(root, true);
    List<StoreElement> sensors = store.contained().get("regions").get(0).contained().get("sensors");
    Collections.swap(sensors, 0, 1);
    refused(() -> new IdMap(List.of(root)).align(List.of(store)), "by their order only");
    unsetAttributes();
    StoreElement bare = element(root, true);
    Collections.swap(bare.contained().get("regions").get(0).contained().get("sensors"), 0, 1);
    refused(() -> new IdMap(List.of(root)).align(List.of(bare)), "by their order only");
  }

  @Test
  void referencesByPlaceInTheAnswerAreRead() {
    ModelElement inner =
        new ModelElement()
            .setId("b")
            .setReferences(List.of(new ReferenceSlot("to").setPositions(List.of(0, 2, 7))));
    ModelElement outer =
        new ModelElement()
            .setId("a")
            .setTypeName("T")
            .setReferences(List.of(new ReferenceSlot("to").setPosition(1)))
            .setContainers(List.of(new ContainerSlot("in", List.of(inner))));
    List<MixedReference> mixed = List.of(MixedReference.id("x"), MixedReference.position(1));
    ModelElement last =
        new ModelElement()
            .setId("c")
            .setReferences(List.of(new ReferenceSlot("to").setMixed(mixed)));
    List<StoreElement> read = StoreElement.of(List.of(outer, last));
    assertEquals(Map.of("to", List.of("b")), read.get(0).references());
    StoreElement held = read.get(0).contained().get("in").get(0);
    assertEquals(Map.of("to", Arrays.asList("a", "c", null)), held.references());
    assertEquals("T", held.type());
    assertEquals(Map.of("to", List.of("x", "b")), read.get(1).references());
  }

  @Test
  void aModelWithoutSuchAnAttributeSaysSo() {
    unsetAttributes();
    assertNull(new IdMap(List.of(root)).identifyingAttribute());
  }

  @Test
  void anotherModelIsRefused() {
    List<StoreElement> fewer = shuffled();
    fewer.remove(0);
    refused(() -> new IdMap(List.of(root)).match(fewer, "id"), "elements, the model");
    List<StoreElement> twice = shuffled();
    twice.set(0, twice.get(1));
    refused(() -> new IdMap(List.of(root)).match(twice, "id"), "two elements");
    List<StoreElement> other = shuffled();
    other.set(0, new StoreElement("1", "Sensor", Map.of("id", "-5"), Map.of(), Map.of()));
    refused(() -> new IdMap(List.of(root)).match(other, "id"), "the server has no");
    StoreElement bare = element(root, false);
    refused(() -> new IdMap(List.of(root)).align(List.of(bare)), "RailwayContainer.");
    refused(() -> new IdMap(List.of(root)).align(List.of()), "roots");
  }

  private static void refused(Runnable match, String why) {
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, match::run);
    assertTrue(e.getMessage().contains(why), e.getMessage());
  }
}
