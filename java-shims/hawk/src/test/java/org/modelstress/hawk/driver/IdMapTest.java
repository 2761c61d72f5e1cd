package org.modelstress.hawk.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.junit.jupiter.api.Test;
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
    return new StoreElement(id(element), element.eClass().getName(), attributes, contained);
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
  void aModelWithoutSuchAnAttributeSaysSo() {
    for (int i = 0; i < index.size(); i++) {
      EObject element = index.element(i);
      element.eClass().getEAllAttributes().forEach(element::eUnset);
    }
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
    other.set(0, new StoreElement("1", "Sensor", Map.of("id", "-5"), Map.of()));
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
