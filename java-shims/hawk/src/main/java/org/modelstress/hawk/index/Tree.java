package org.modelstress.hawk.index;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.map.mutable.primitive.LongIntHashMap;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;

/**
 * The containment tree of a model, its elements numbered in containment order: from a model in
 * memory or from the graph, so that the two can be compared.
 */
final class Tree {
  private final Catalog.Type[] types;
  private final int[] parents;
  private final String[] roles;
  private final List<Map<String, Object>> attributes = new ArrayList<>();
  private int[] content;
  private int[] subtree;

  private Tree(int size) {
    types = new Catalog.Type[size];
    parents = new int[size];
    roles = new String[size];
    if (size > 0) {
      parents[0] = -1;
    }
  }

  /**
   * The tree of a model in memory.
   *
   * @throws IllegalArgumentException if it has a class that the index does not know
   */
  static Tree of(Model model, Catalog catalog) {
    Tree tree = new Tree(model.size());
    Map<EClass, Catalog.Type> known = new HashMap<>();
    for (int i = 0; i < model.size(); i++) {
      EObject element = model.element(i);
      tree.types[i] = known.computeIfAbsent(element.eClass(), c -> type(c, catalog));
      if (i > 0) {
        tree.parents[i] = model.parent(i);
        tree.roles[i] = element.eContainmentFeature().getName();
      }
      tree.attributes.add(model.attributes(i));
    }
    tree.hash();
    return tree;
  }

  private static Catalog.Type type(EClass eClass, Catalog catalog) {
    Catalog.Type type = catalog.type(eClass.getEPackage().getNsURI(), eClass.getName());
    if (type == null) {
      throw new IllegalArgumentException(
          "the index does not know the type "
              + eClass.getName()
              + " of "
              + eClass.getEPackage().getNsURI()
              + "; register its metamodel");
    }
    return type;
  }

  /**
   * The tree in the graph.
   *
   * @param nodes the elements in containment order
   */
  static Tree of(LongArrayList nodes, Graph graph, GraphReader reader, Catalog catalog) {
    Tree tree = new Tree(nodes.size());
    LongIntHashMap indices = new LongIntHashMap(nodes.size());
    for (int i = 0; i < nodes.size(); i++) {
      indices.put(nodes.get(i), i);
    }
    int ofType = graph.label(Layout.OF_TYPE);
    LongArrayList children = new LongArrayList();
    for (int i = 0; i < nodes.size(); i++) {
      long node = nodes.get(i);
      tree.types[i] = catalog.at(reader.target(node, ofType));
      tree.attributes.add(reader.properties(node));
      for (Catalog.Feature feature : tree.types[i].features().values()) {
        if (feature instanceof Catalog.Reference of && of.eReference().isContainment()) {
          children.clear();
          reader.targets(node, of.label(), children);
          for (int c = 0; c < children.size(); c++) {
            int child = indices.getOrThrow(children.get(c));
            tree.parents[child] = i;
            tree.roles[child] = of.name();
          }
        }
      }
    }
    tree.hash();
    return tree;
  }

  private void hash() {
    content = new int[types.length];
    subtree = new int[types.length];
    for (int i = types.length - 1; i >= 0; i--) {
      // a child's contribution is in place: it comes after its container
      content[i] = 31 * hashOf(attributes.get(i)) + types[i].name().hashCode();
      subtree[i] = 31 * subtree[i] + content[i];
      if (parents[i] >= 0) {
        int child = 31 * subtree[i] + roles[i].hashCode();
        subtree[parents[i]] += child * 0x9E3779B1;
      }
    }
  }

  private static int hashOf(Map<String, Object> values) {
    int hash = 0;
    for (Map.Entry<String, Object> each : values.entrySet()) {
      hash += each.getKey().hashCode() ^ Arrays.deepHashCode(new Object[] {each.getValue()});
    }
    return hash;
  }

  /** Number of elements. */
  int size() {
    return types.length;
  }

  Catalog.Type type(int index) {
    return types[index];
  }

  /** Number of the container, -1 for the root. */
  int parent(int index) {
    return parents[index];
  }

  /** Name of the containment reference that holds an element, null for the root. */
  String role(int index) {
    return roles[index];
  }

  /** The attributes that are set. */
  Map<String, Object> attributes(int index) {
    return attributes.get(index);
  }

  /** Hash of type and attributes. */
  int content(int index) {
    return content[index];
  }

  /** Hash of type and attributes of an element and of everything below it. */
  int subtree(int index) {
    return subtree[index];
  }

  /** What the model says an element is called: its {@code xmi:id} or ID attribute; else null. */
  String id(int index) {
    Map<String, Object> values = attributes.get(index);
    Object id = values.get(Layout.XMI_ID);
    if (id == null) {
      EAttribute attribute = types[index].eClass().getEIDAttribute();
      id = attribute == null ? null : values.get(attribute.getName());
    }
    return id == null ? null : types[index].node() + " " + id;
  }
}
