package org.modelstress.topology.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A replication and integration tree: where the objects of a domain are (Free Data Objects, 5.2.3).
 */
public sealed interface Tree {
  /** All objects are in one store. */
  record Leaf(String store) implements Tree {}

  /** {@code R(a, b)}: every object is in all parts. */
  record Replicated(List<Tree> parts) implements Tree {}

  /** {@code I(a, b)}: every object is in exactly one part. */
  record Integrated(List<Tree> parts) implements Tree {}

  /** The stores of a tree, in their order. */
  default Set<String> stores() {
    Set<String> stores = new LinkedHashSet<>();
    collect(this, stores);
    return stores;
  }

  /**
   * The places where an object can be: sets of stores. An object of one place is in all of its
   * stores, and in no other.
   */
  default List<Set<String>> places() {
    if (this instanceof Leaf leaf) {
      return List.of(Set.of(leaf.store()));
    }
    if (this instanceof Integrated integrated) {
      List<Set<String>> all = new ArrayList<>();
      integrated.parts().forEach(part -> all.addAll(part.places()));
      return all;
    }
    return List.of(stores()); // the parser lets a replicated tree have no integrated parts
  }

  private static void collect(Tree tree, Collection<String> stores) {
    if (tree instanceof Leaf leaf) {
      stores.add(leaf.store());
    } else {
      List<Tree> parts =
          tree instanceof Replicated replicated ? replicated.parts() : ((Integrated) tree).parts();
      parts.forEach(part -> collect(part, stores));
    }
  }

  /**
   * Parses {@code ds1}, {@code R(ds1, ds2)} or {@code I(ds1, R(ds2, ds3))}.
   *
   * @throws ConfigException where it is none, or has a store twice
   */
  static Tree parse(String text) throws ConfigException {
    TreeParser parser = new TreeParser(text);
    Tree tree = parser.tree();
    parser.end();
    return tree;
  }
}
