package org.modelstress.hawk.driver;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.modelstress.hawk.api.AttributeSlot;
import org.modelstress.hawk.api.ContainerSlot;
import org.modelstress.hawk.api.ModelElement;

/**
 * An element of a store, as {@code getModel} sends it.
 *
 * @param id its identifier in the store
 * @param type simple name of its class
 * @param attributes single values as text
 * @param contained by reference, in order
 */
record StoreElement(
    String id,
    String type,
    Map<String, String> attributes,
    Map<String, List<StoreElement>> contained) {

  /** Reads an answer: an element leaves its class out where it is that of the element before. */
  static List<StoreElement> of(List<ModelElement> answer) {
    return new Reader().read(answer);
  }

  private static final class Reader {
    private String lastType;

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
          new StoreElement(element.getId(), lastType, attributes(element), new HashMap<>());
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
  }
}
