package org.modelstress.models;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EObject;

/**
 * The index of every element of a model: its place in containment order. The root is 0, then depth
 * first in the order of the containment references.
 */
public final class ElementIndex {
  private final List<EObject> elements = new ArrayList<>();
  private final Map<EObject, Integer> indices;

  /** Walks the whole containment tree below {@code root}. */
  public ElementIndex(EObject root) {
    this(List.of(root));
  }

  /** Walks the whole containment trees below several roots, one after the other. */
  public ElementIndex(List<? extends EObject> roots) {
    for (EObject root : roots) {
      elements.add(root);
      for (Iterator<EObject> all = root.eAllContents(); all.hasNext(); ) {
        elements.add(all.next());
      }
    }
    indices = new IdentityHashMap<>(elements.size());
    for (int i = 0; i < elements.size(); i++) {
      indices.put(elements.get(i), i);
    }
  }

  /** Number of elements, the root included. */
  public int size() {
    return elements.size();
  }

  /**
   * The element at an index.
   *
   * @throws IndexOutOfBoundsException if there is none
   */
  public EObject element(long index) {
    return elements.get(Math.toIntExact(index));
  }

  /**
   * The index of an element.
   *
   * @throws IllegalArgumentException if the element is not of this model
   */
  public long indexOf(EObject element) {
    Integer index = indices.get(element);
    if (index == null) {
      throw new IllegalArgumentException("Not an element of this model: " + element);
    }
    return index;
  }

  /** The indices of the elements, in their order. */
  public long[] indicesOf(List<? extends EObject> some) {
    return some.stream().mapToLong(this::indexOf).toArray();
  }
}
