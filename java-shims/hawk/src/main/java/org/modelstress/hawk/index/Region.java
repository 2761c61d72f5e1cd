package org.modelstress.hawk.index;

import java.util.ArrayDeque;
import java.util.Deque;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.map.mutable.primitive.LongObjectHashMap;
import org.eclipse.collections.impl.set.mutable.primitive.LongHashSet;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;

/** Some elements in the graph and what they contain. */
final class Region {
  private final LongArrayList elements;
  private final LongHashSet own;
  private final LongObjectHashMap<LongArrayList> children = new LongObjectHashMap<>();
  private final LongHashSet contained = new LongHashSet();
  private final LongHashSet elsewhere = new LongHashSet();

  /** Reads what the elements contain; their order does not matter. */
  Region(LongArrayList elements, Graph graph, GraphReader reader, Catalog catalog) {
    this.elements = elements.sortThis();
    this.own = new LongHashSet(elements);
    int ofType = graph.label(Layout.OF_TYPE);
    elements.forEach(
        element -> {
          LongArrayList found =
              contents(element, catalog.at(reader.target(element, ofType)), reader);
          if (!found.isEmpty()) {
            children.put(element, found);
            contained.addAll(found);
            elsewhere.addAll(found.reject(own::contains));
          }
        });
  }

  /** Nodes are created in containment order, so the order of nodes is close to it. */
  private static LongArrayList contents(long element, Catalog.Type type, GraphReader reader) {
    LongArrayList all = new LongArrayList();
    for (Catalog.Feature feature : type.features().values()) {
      if (feature instanceof Catalog.Reference of && of.eReference().isContainment()) {
        LongArrayList found = new LongArrayList();
        reader.targets(element, of.label(), found);
        all.addAll(found.sortThis());
      }
    }
    return all;
  }

  /** Whether an element belongs to the region. */
  boolean has(long node) {
    return own.contains(node);
  }

  /** The elements. */
  LongArrayList elements() {
    return elements;
  }

  /** The elements that no other one of the region contains. */
  LongArrayList tops() {
    return elements.reject(contained::contains);
  }

  /** What elements of the region contain without its being of the region. */
  LongHashSet elsewhere() {
    return elsewhere;
  }

  /** The elements and {@link #elsewhere}, containers before what they contain. */
  LongArrayList ordered() {
    LongArrayList ordered = new LongArrayList(elements.size() + elsewhere.size());
    Deque<Long> open = new ArrayDeque<>();
    tops().asReversed().forEach(open::push);
    while (!open.isEmpty()) {
      long element = open.pop();
      ordered.add(element);
      LongArrayList found = children.get(element);
      if (found != null) {
        found.asReversed().forEach(open::push);
      }
    }
    return ordered;
  }
}
