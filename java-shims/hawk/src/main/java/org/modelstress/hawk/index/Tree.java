package org.modelstress.hawk.index;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.collections.api.set.primitive.LongSet;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.map.mutable.primitive.IntLongHashMap;
import org.eclipse.collections.impl.map.mutable.primitive.LongIntHashMap;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;

/**
 * The containment trees of a model or of some of its files, the elements numbered with containers
 * before what they contain: from a model in memory or from the graph, so that the two can be
 * compared.
 */
final class Tree {
  private final Catalog.Type[] types;
  private final int[] parents;
  private final String[] roles;
  private final List<Map<String, Object>> attributes = new ArrayList<>();
  // number of an element that was not read, to its node
  private final IntLongHashMap elsewhere = new IntLongHashMap();
  private int[] content;
  private int[] subtree;

  private Tree(int size) {
    types = new Catalog.Type[size];
    parents = new int[size];
    roles = new String[size];
    Arrays.fill(parents, -1);
  }

  /**
   * The trees of a model in memory.
   *
   * @param elsewhere nodes by number of those elements that were not read
   * @throws IllegalArgumentException if it has a class that the index does not know
   */
  static Tree of(Model model, IntLongHashMap elsewhere, Catalog catalog) {
    Tree tree = new Tree(model.size());
    tree.elsewhere.putAll(elsewhere);
    Map<EClass, Catalog.Type> known = new HashMap<>();
    for (int i = 0; i < model.size(); i++) {
      EObject element = model.element(i);
      tree.types[i] = known.computeIfAbsent(element.eClass(), c -> type(c, catalog));
      tree.parents[i] = model.parent(i);
      if (tree.parents[i] >= 0) {
        tree.roles[i] = element.eContainmentFeature().getName();
      }
      tree.attributes.add(elsewhere.containsKey(i) ? Map.of() : model.attributes(i));
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
   * The trees in the graph.
   *
   * @param nodes the elements, containers before what they contain
   * @param elsewhere those of them of which only the node counts
   */
  static Tree of(
      LongArrayList nodes, LongSet elsewhere, Graph graph, GraphReader reader, Catalog catalog) {
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
      if (elsewhere.contains(node)) {
        tree.elsewhere.put(i, node);
        tree.attributes.add(Map.of());
        continue;
      }
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
      content[i] += Long.hashCode(elsewhere.getIfAbsent(i, 0));
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

  /** Number of elements without a container here. */
  long roots() {
    return Arrays.stream(parents).filter(parent -> parent < 0).count();
  }

  Catalog.Type type(int index) {
    return types[index];
  }

  /** Number of the container, -1 for a root. */
  int parent(int index) {
    return parents[index];
  }

  /** Name of the containment reference that holds an element, null for a root. */
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
    if (elsewhere.containsKey(index)) {
      return "node " + elsewhere.get(index);
    }
    Map<String, Object> values = attributes.get(index);
    Object id = values.get(Layout.XMI_ID);
    if (id == null) {
      EAttribute attribute = types[index].eClass().getEIDAttribute();
      id = attribute == null ? null : values.get(attribute.getName());
    }
    return id == null ? null : types[index].node() + " " + id;
  }
}
