package org.modelstress.hawk.driver;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.modelstress.hawk.api.AttributeSlot;
import org.modelstress.hawk.api.ContainerSlot;
import org.modelstress.hawk.api.MixedReference;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.ReferenceSlot;

/**
 * An element of a store, as {@code getModel} sends it.
 *
 * @param id its identifier in the store
 * @param type simple name of its class
 * @param attributes single values as text
 * @param references identifiers of the targets
 * @param contained by reference, in order
 */
record StoreElement(
    String id,
    String type,
    Map<String, String> attributes,
    Map<String, List<String>> references,
    Map<String, List<StoreElement>> contained) {

  /** Reads an answer: an element leaves its class out where it is that of the element before. */
  static List<StoreElement> of(List<ModelElement> answer) {
    Reader reader = new Reader();
    reader.place(answer);
    return reader.read(answer);
  }

  private static final class Reader {
    /** By place in the answer, by which references may name elements. */
    private final List<String> ids = new ArrayList<>();

    private String lastType;

    void place(List<ModelElement> elements) {
      for (ModelElement element : elements) {
        ids.add(element.getId());
        if (element.isSetContainers()) {
          element.getContainers().forEach(slot -> place(slot.getElements()));
        }
      }
    }

    List<StoreElement> read(List<ModelElement> elements) {
      List<StoreElement> read = new ArrayList<>(elements.size());
      elements.forEach(element -> read.add(read(element)));
      return read;
    }

    private StoreElement read(ModelElement element) {
      if (element.isSetTypeName()) {
        lastType = element.getTypeName();
      }
      StoreElement read =
          new StoreElement(
              element.getId(), lastType, attributes(element), references(element), new HashMap<>());
      if (element.isSetContainers()) {
        for (ContainerSlot slot : element.getContainers()) {
          read.contained().put(slot.getName(), read(slot.getElements()));
        }
      }
      return read;
    }

    private static Map<String, String> attributes(ModelElement element) {
      Map<String, String> values = new HashMap<>();
      if (element.isSetAttributes()) {
        for (AttributeSlot slot : element.getAttributes()) {
          if (slot.isSetValue() && slot.getValue().isSet()) {
            values.put(slot.getName(), String.valueOf(slot.getValue().getFieldValue()));
          }
        }
      }
      return values;
    }

    private Map<String, List<String>> references(ModelElement element) {
      Map<String, List<String>> targets = new HashMap<>();
      if (element.isSetReferences()) {
        element.getReferences().forEach(slot -> targets.put(slot.getName(), targets(slot)));
      }
      return targets;
    }

    private List<String> targets(ReferenceSlot slot) {
      List<String> targets = new ArrayList<>();
      if (slot.isSetId()) {
        targets.add(slot.getId());
      } else if (slot.isSetIds()) {
        targets.addAll(slot.getIds());
      } else if (slot.isSetPosition()) {
        targets.add(at(slot.getPosition()));
      } else if (slot.isSetPositions()) {
        slot.getPositions().forEach(place -> targets.add(at(place)));
      } else if (slot.isSetMixed()) {
        for (MixedReference one : slot.getMixed()) {
          targets.add(one.isSetId() ? one.getId() : at(one.getPosition()));
        }
      }
      return targets;
    }

    private String at(int place) {
      return place >= 0 && place < ids.size() ? ids.get(place) : null;
    }
  }
}
