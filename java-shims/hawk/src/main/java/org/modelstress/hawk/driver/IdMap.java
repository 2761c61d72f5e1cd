package org.modelstress.hawk.driver;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.modelstress.models.ElementIndex;

/** Finds the identifier of every element of a model in a store that holds the same model. */
final class IdMap {
  private final List<EObject> roots;
  private final ElementIndex index;
  private final String[] ids;

  /** For a model with these roots. */
  IdMap(List<EObject> roots) {
    this.roots = roots;
    index = new ElementIndex(roots);
    ids = new String[index.size()];
  }

  /** The identifiers by index. */
  List<String> ids() {
    return List.of(ids);
  }

  private Stream<EObject> elements() {
    return java.util.stream.IntStream.range(0, index.size()).mapToObj(index::element);
  }

  /**
   * An attribute whose value tells the elements of each class apart: {@code id}, one that is the ID
   * of its class, or any other; elements without it have to be the only ones of their class.
   *
   * @return null if there is none
   */
  String identifyingAttribute() {
    Set<String> names = new LinkedHashSet<>(List.of("id"));
    attributes().filter(EAttribute::isID).forEach(a -> names.add(a.getName()));
    attributes().map(EAttribute::getName).sorted().forEach(names::add);
    return names.stream().filter(this::tellsApart).findFirst().orElse(null);
  }

  private Stream<EAttribute> attributes() {
    return elements()
        .map(EObject::eClass)
        .distinct()
        .flatMap(type -> type.getEAllAttributes().stream())
        .filter(attribute -> !attribute.isMany() && !attribute.isDerived());
  }

  private boolean tellsApart(String attribute) {
    return elements().map(element -> key(element, attribute)).distinct().count() == index.size();
  }

  /** A store may leave out a value that is the default, and may not. */
  private static String key(EObject element, String attribute) {
    EClass type = element.eClass();
    String value = null;
    if (type.getEStructuralFeature(attribute) instanceof EAttribute found && !found.isMany()) {
      value = text(found, element.eGet(found));
    }
    return key(type.getName(), value, defaultOf(type, attribute));
  }

  private static String key(String type, String value, String usual) {
    return type + "\n" + (value == null || value.equals(usual) ? "" : value);
  }

  private static String text(EAttribute attribute, Object value) {
    return value == null ? null : EcoreUtil.convertToString(attribute.getEAttributeType(), value);
  }

  private static String defaultOf(EClass type, String attribute) {
    return type.getEStructuralFeature(attribute) instanceof EAttribute found && !found.isMany()
        ? text(found, found.getDefaultValue())
        : null;
  }

  /**
   * Takes the identifiers from all elements of a store, in any order.
   *
   * @param attribute as {@link #identifyingAttribute}
   * @throws IllegalArgumentException if the store holds another model
   */
  void match(List<StoreElement> store, String attribute) {
    if (store.size() != index.size()) {
      throw new IllegalArgumentException(
          "the server has " + store.size() + " elements, the model " + index.size());
    }
    Map<String, String> defaults = new HashMap<>();
    elements()
        .map(EObject::eClass)
        .distinct()
        .forEach(type -> defaults.put(type.getName(), defaultOf(type, attribute)));
    Map<String, String> known = new HashMap<>();
    for (StoreElement element : store) {
      String value = element.attributes().get(attribute);
      String key = key(element.type(), value, defaults.get(element.type()));
      if (known.put(key, identifier(element)) != null) {
        throw new IllegalArgumentException(
            "the server has two elements of class " + name(element, attribute));
      }
    }
    elements()
        .forEach(
            element -> {
              String id = known.get(key(element, attribute));
              if (id == null) {
                throw new IllegalArgumentException(
                    "the server has no "
                        + key(element, attribute).replace("\n", " with " + attribute + " "));
              }
              ids[Math.toIntExact(index.indexOf(element))] = id;
            });
  }

  private static String name(StoreElement element, String attribute) {
    return element.type() + " with " + attribute + " " + element.attributes().get(attribute);
  }

  private static String identifier(StoreElement element) {
    if (element.id() == null) {
      throw new IllegalArgumentException("the server sent an element without identifier");
    }
    return element.id();
  }

  /**
   * Takes the identifiers from the topmost elements of a store and what they contain, by their
   * place.
   *
   * @throws IllegalArgumentException if the store holds another model
   */
  void align(List<StoreElement> store) {
    Alignment.of(roots, store)
        .forEach((element, one) -> ids[Math.toIntExact(index.indexOf(element))] = identifier(one));
  }
}
