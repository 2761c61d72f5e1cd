package org.modelstress.hawk.index;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.map.mutable.primitive.LongIntHashMap;
import org.eclipse.collections.impl.map.mutable.primitive.LongLongHashMap;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.NodeKind;

/**
 * Finds for the elements of one index those of another that holds the same model: equal trees at
 * the same places, in whatever order the children are.
 */
final class Twins {
  /** Numbers of equal trees are equal, in both indices. */
  private final Map<String, Integer> numbers = new HashMap<>();

  /** One index with the number of every element's tree. */
  private final class Side {
    final Graph graph;
    final GraphReader reader;
    final Catalog catalog;
    final LongIntHashMap trees = new LongIntHashMap();

    Side(LiveIndex index, GraphReader reader) {
      this.graph = index.graph();
      this.reader = reader;
      this.catalog = Catalog.read(graph, reader);
      roots().forEach(this::tree);
    }

    LongArrayList roots() {
      LongArrayList all = new LongArrayList();
      reader.nodes(NodeKind.ELEMENT, all);
      LongArrayList contained = new LongArrayList();
      all.forEach(node -> children(node).values().forEach(contained::addAll));
      return all.reject(contained::contains).sortThis();
    }

    Map<String, LongArrayList> children(long node) {
      Map<String, LongArrayList> children = new TreeMap<>();
      for (Catalog.Feature feature : type(node).features().values()) {
        if (feature instanceof Catalog.Reference of && of.eReference().isContainment()) {
          LongArrayList found = new LongArrayList();
          reader.targets(node, of.label(), found);
          children.put(of.name(), found.sortThis());
        }
      }
      return children;
    }

    Catalog.Type type(long node) {
      return catalog.at(reader.target(node, graph.label(Layout.OF_TYPE)));
    }

    private int tree(long node) {
      StringBuilder text = new StringBuilder(type(node).name());
      Map<String, Object> attributes = new TreeMap<>(reader.properties(node));
      attributes.forEach(
          (name, value) -> text.append(name).append(Arrays.deepToString(new Object[] {value})));
      children(node)
          .forEach(
              (role, found) -> {
                List<Integer> trees = new ArrayList<>();
                found.forEach(child -> trees.add(tree(child)));
                trees.sort(null);
                text.append(role).append(trees);
              });
      int number = numbers.computeIfAbsent(text.toString(), t -> numbers.size());
      trees.put(node, number);
      return number;
    }
  }

  private Twins() {}

  /**
   * The nodes of the other index in the order of this one's.
   *
   * @param nodes of all elements, containers before what they contain
   * @throws AssertionError if an element has no twin
   */
  static LongArrayList of(LiveIndex index, LongArrayList nodes, LiveIndex other) {
    try (GraphReader reader = index.graph().read();
        GraphReader otherReader = other.graph().read()) {
      Twins twins = new Twins();
      Side here = twins.new Side(index, reader);
      Side there = twins.new Side(other, otherReader);
      LongLongHashMap found = new LongLongHashMap();
      pair(here, here.roots(), there, there.roots(), found);
      LongArrayList ordered = new LongArrayList();
      nodes.forEach(
          node -> {
            long twin = found.getOrThrow(node);
            ordered.add(twin);
            Map<String, LongArrayList> children = there.children(twin);
            here.children(node)
                .forEach((role, some) -> pair(here, some, there, children.get(role), found));
          });
      return ordered;
    }
  }

  private static void pair(
      Side here, LongArrayList some, Side there, LongArrayList others, LongLongHashMap found) {
    LongArrayList left = new LongArrayList(others.toArray());
    some.forEach(
        node -> {
          int tree = here.trees.get(node);
          long twin = left.detectIfNone(other -> there.trees.get(other) == tree, GraphReader.NONE);
          if (twin == GraphReader.NONE) {
            throw new AssertionError(
                "no " + here.type(node).name() + " with " + here.reader.properties(node));
          }
          left.remove(twin);
          found.put(node, twin);
        });
    if (!left.isEmpty()) {
      throw new AssertionError("one more " + there.type(left.getFirst()).name());
    }
  }
}
