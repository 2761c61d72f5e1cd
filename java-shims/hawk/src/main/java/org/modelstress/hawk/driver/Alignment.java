package org.modelstress.hawk.driver;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.util.EcoreUtil;

/**
 * Finds a model's elements in a store by their place: the order of the topmost elements, and of
 * those that an element contains. A store need not keep that order (Neo4j gives the edges of a node
 * last first), so every attribute and reference that it sends has to be the model's.
 */
final class Alignment {
  /** Types whose values are the same text everywhere. */
  private static final Set<Class<?>> PLAIN =
      Set.of(
          String.class,
          boolean.class,
          Boolean.class,
          int.class,
          Integer.class,
          long.class,
          Long.class);

  private final boolean backwards;
  private final Map<EObject, StoreElement> found = new LinkedHashMap<>();

  private Alignment(boolean backwards) {
    this.backwards = backwards;
  }

  /**
   * What stands for each element of a model.
   *
   * @throws IllegalArgumentException if the store holds another model, or in no order that is known
   */
  static Map<EObject, StoreElement> of(List<EObject> roots, List<StoreElement> store) {
    try {
      return new Alignment(false).found(roots, store);
    } catch (IllegalArgumentException e) {
      try {
        return new Alignment(true).found(roots, store);
      } catch (IllegalArgumentException backwards) {
        e.addSuppressed(backwards);
        throw e;
      }
    }
  }

  private Map<EObject, StoreElement> found(List<EObject> roots, List<StoreElement> store) {
    align(roots, store, "roots");
    found.forEach(this::compare);
    return found;
  }

  private void align(List<EObject> elements, List<StoreElement> store, String where) {
    if (elements.size() != store.size()) {
      throw new IllegalArgumentException(
          where + ": the server has " + store.size() + " elements, the model " + elements.size());
    }
    for (int i = 0; i < elements.size(); i++) {
      int place = backwards ? elements.size() - 1 - i : i;
      align(elements.get(i), store.get(place), where);
    }
  }

  private void align(EObject element, StoreElement store, String where) {
    EClass type = element.eClass();
    if (!type.getName().equals(store.type())) {
      throw new IllegalArgumentException(
          where + ": the server has a " + store.type() + ", the model a " + type.getName());
    }
    found.put(element, store);
    for (EReference reference : type.getEAllContainments()) {
      List<StoreElement> held = store.contained().getOrDefault(reference.getName(), List.of());
      align(targets(element, reference), held, type.getName() + "." + reference.getName());
    }
  }

  private static List<EObject> targets(EObject element, EReference reference) {
    List<EObject> targets = new ArrayList<>();
    if (element.eGet(reference) instanceof List<?> many) {
      many.forEach(target -> targets.add((EObject) target));
    } else if (element.eGet(reference) instanceof EObject target) {
      targets.add(target);
    }
    return targets;
  }

  private void compare(EObject element, StoreElement store) {
    EClass type = element.eClass();
    for (EAttribute attribute : type.getEAllAttributes()) {
      String sent = store.attributes().get(attribute.getName());
      if (sent != null && isPlain(attribute) && !sent.equals(text(element, attribute))) {
        throw otherOrder(type, attribute.getName());
      }
    }
    for (EReference reference : type.getEAllReferences()) {
      List<String> sent = store.references().get(reference.getName());
      if (sent != null && !areThose(targets(element, reference), sent)) {
        throw otherOrder(type, reference.getName());
      }
    }
  }

  private static IllegalArgumentException otherOrder(EClass type, String feature) {
    return new IllegalArgumentException(
        "elements are found by their order only, and "
            + type.getName()
            + "."
            + feature
            + " of one differs");
  }

  private static boolean isPlain(EAttribute attribute) {
    Class<?> type = attribute.getEAttributeType().getInstanceClass(); // null of a dynamic one
    return !attribute.isMany() && !attribute.isDerived() && type != null && PLAIN.contains(type);
  }

  private static String text(EObject element, EAttribute attribute) {
    return EcoreUtil.convertToString(attribute.getEAttributeType(), element.eGet(attribute));
  }

  private boolean areThose(List<EObject> targets, List<String> sent) {
    Set<String> identifiers = new HashSet<>();
    for (EObject target : targets) {
      StoreElement store = found.get(target);
      if (store == null) {
        return true; // it is not in the model, such as a type of Ecore: nothing to compare with
      }
      identifiers.add(store.id());
    }
    return identifiers.equals(new HashSet<>(sent));
  }
}
