package org.modelstress.models;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.util.EcoreUtil;

/**
 * A model as a property graph, for stores that hold one. An element is a node with its class and
 * all supertypes as labels, an attribute a property, a reference an edge; of two opposite
 * references one is stored, since edges are followed in both directions.
 */
public final class PropertyGraph {
  /** The property of every node: the element's index in containment order. */
  public static final String INDEX = "_index";

  /** What is stored as it is; everything else becomes text. */
  private static final Set<Class<?>> PLAIN =
      Set.of(Boolean.class, Integer.class, Long.class, Float.class, Double.class);

  /** An edge from a node, with its target's index. */
  public record Edge(String type, int target) {}

  private final ElementIndex elements;
  private final Set<EAttribute> numbers = new LinkedHashSet<>();

  /** The graph of all elements. */
  public PropertyGraph(ElementIndex elements) {
    this.elements = elements;
  }

  /** How many nodes there are. */
  public int size() {
    return elements.size();
  }

  /** The class of a node's element, first, and the names of all its supertypes. */
  public List<String> labels(int node) {
    EClass type = elements.element(node).eClass();
    return Stream.concat(Stream.of(type), type.getEAllSuperTypes().stream())
        .map(EClass::getName)
        .distinct()
        .toList();
  }

  /**
   * Properties by name: the index, and attributes that are set or have a default. Values are truth
   * values, numbers ({@code int}, {@code long}, {@code float}, {@code double}), texts, and lists of
   * texts for many values.
   */
  public Map<String, Object> properties(int node) {
    EObject element = elements.element(node);
    Map<String, Object> properties = new LinkedHashMap<>();
    properties.put(INDEX, node);
    for (EAttribute attribute : element.eClass().getEAllAttributes()) {
      Object value = isOwn(attribute) ? element.eGet(attribute) : null;
      if (value != null) {
        properties.put(attribute.getName(), property(attribute.getEAttributeType(), value));
      }
      if (value instanceof Number && PLAIN.contains(value.getClass())) {
        numbers.add(attribute);
      }
    }
    return properties;
  }

  private static Object property(EDataType type, Object value) {
    if (value instanceof Collection<?> all) {
      return all.stream().map(one -> EcoreUtil.convertToString(type, one)).toList();
    }
    return PLAIN.contains(value.getClass()) ? value : EcoreUtil.convertToString(type, value);
  }

  /** Attributes with numbers among the properties that have been asked for, which want an index. */
  public Set<EAttribute> numbers() {
    return Collections.unmodifiableSet(numbers);
  }

  /** Edges from a node, in the order of its references and their values. */
  public List<Edge> edges(int node) {
    EObject element = elements.element(node);
    List<Edge> edges = new ArrayList<>();
    for (EReference reference : element.eClass().getEAllReferences()) {
      Object value = isStored(reference) ? element.eGet(reference) : null;
      Collection<?> targets =
          value instanceof Collection<?> all ? all : Stream.ofNullable(value).toList();
      for (Object target : targets) {
        edges.add(new Edge(reference.getName(), (int) elements.indexOf((EObject) target)));
      }
    }
    return edges;
  }

  private static boolean isOwn(EStructuralFeature feature) {
    return !feature.isDerived() && !feature.isVolatile();
  }

  /** Of two opposites the containment, else the first by name. */
  private static boolean isStored(EReference reference) {
    EReference opposite = reference.getEOpposite();
    boolean first = opposite == null || reference.getName().compareTo(opposite.getName()) <= 0;
    return isOwn(reference) && (reference.isContainment() || (first && !reference.isContainer()));
  }
}
