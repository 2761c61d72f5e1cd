package org.modelstress.hawk.index;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.map.mutable.primitive.LongIntHashMap;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.graph.Comparison;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.IndexType;
import org.modelstress.hawk.graph.NodeKind;

/**
 * All that an index holds, with elements named by their place in containment order instead of their
 * nodes: two indices of one model have the same image.
 */
final class IndexImage {
  private final Graph graph;
  private final GraphReader reader;
  private final Catalog catalog;
  private final LongArrayList nodes;
  private final LongIntHashMap indices = new LongIntHashMap();

  private IndexImage(Graph graph, GraphReader reader, LongArrayList nodes) {
    this.graph = graph;
    this.reader = reader;
    this.catalog = Catalog.read(graph, reader);
    this.nodes = nodes;
    for (int i = 0; i < nodes.size(); i++) {
      indices.put(nodes.get(i), i);
    }
  }

  /** One line per element, look-up and kind of node. */
  static List<String> of(LiveIndex index, IndexFolder folder) {
    return of(index, folder.readIds(index.graph()));
  }

  /**
   * As {@link #of(LiveIndex, IndexFolder)}.
   *
   * @param nodes of the elements in containment order
   */
  static List<String> of(LiveIndex index, LongArrayList nodes) {
    try (GraphReader reader = index.graph().read()) {
      return new IndexImage(index.graph(), reader, nodes).lines();
    }
  }

  private List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      lines.add(i + " " + element(nodes.get(i)));
    }
    catalog.declarations().forEach(declaration -> lines.addAll(lookups(declaration)));
    catalog.declarations().forEach(d -> lines.add(d.name() + " " + catalog.isComplete(d)));
    for (NodeKind kind : NodeKind.values()) {
      LongArrayList all = new LongArrayList();
      reader.nodes(kind, all);
      lines.add(kind + " nodes: " + all.size());
    }
    return lines;
  }

  private String element(long node) {
    StringBuilder line = new StringBuilder();
    Catalog.Type type = catalog.at(reader.target(node, graph.label(Layout.OF_TYPE)));
    line.append(type.name());
    line.append(" kinds ").append(typeNames(node, Layout.OF_KIND));
    LongArrayList files = new LongArrayList();
    reader.targets(node, graph.label(Layout.IN_FILE), files);
    List<Object> hashes = new ArrayList<>();
    files.forEach(file -> hashes.add(reader.property(file, graph.key(Layout.SHA256))));
    line.append(" files ").append(hashes);
    line.append(' ').append(printable(reader.properties(node)));
    for (Catalog.Feature feature : type.features().values()) {
      if (feature instanceof Catalog.Reference reference) {
        line.append(' ').append(reference.name()).append(targets(node, reference.label(), true));
        line.append('~').append(targets(node, reference.label(), false).size());
      } else if (feature instanceof Catalog.Derived derived) {
        line.append(' ').append(derived(node, derived));
      }
    }
    return line.toString();
  }

  private String derived(long node, Catalog.Derived derived) {
    LongArrayList found = new LongArrayList();
    reader.targets(node, derived.label(), found);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      if (derived.declaration().logic().contains("exists")) {
        // ends with the first hit, so what it reads depends on an order that graphs do not have
        texts.add(String.valueOf(reader.property(found.get(i), graph.key(Layout.VALUE))));
        continue;
      }
      LongArrayList read = new LongArrayList();
      reader.targets(found.get(i), graph.label(Layout.READS), read);
      Set<String> names = new TreeSet<>();
      read.forEach(each -> names.add(name(each)));
      texts.add(printable(reader.properties(found.get(i))) + " reads " + names);
    }
    return texts.toString();
  }

  private String name(long node) {
    return indices.containsKey(node) ? "" + indices.get(node) : catalog.at(node).name();
  }

  private Set<String> typeNames(long node, String label) {
    LongArrayList found = new LongArrayList();
    reader.targets(node, graph.label(label), found);
    Set<String> names = new TreeSet<>();
    found.forEach(type -> names.add(catalog.at(type).name()));
    return names;
  }

  private List<Integer> targets(long node, int label, boolean forwards) {
    LongArrayList found = new LongArrayList();
    if (forwards) {
      reader.targets(node, label, found);
    } else {
      reader.sources(node, label, found);
    }
    return sorted(found);
  }

  private List<Integer> sorted(LongArrayList found) {
    List<Integer> places = new ArrayList<>();
    found.forEach(node -> places.add(indices.getIfAbsent(node, -1)));
    places.sort(null);
    return places;
  }

  private static String printable(Map<String, Object> values) {
    Map<String, String> texts = new TreeMap<>();
    values.forEach((key, value) -> texts.put(key, Arrays.deepToString(new Object[] {value})));
    return texts.toString();
  }

  private List<String> lookups(AttributeDeclaration declaration) {
    boolean truth =
        declaration.kind() == AttributeDeclaration.Kind.DERIVED
            && declaration.indexType() == IndexType.TRUTH;
    List<String> lines = new ArrayList<>();
    for (Object value : truth ? List.of(true, false) : List.of(-500, 0, 5)) {
      for (Comparison comparison : truth ? new Comparison[] {Comparison.EQ} : Comparison.values()) {
        LongArrayList found = new LongArrayList();
        reader.lookup(declaration.index(), comparison, value, found);
        lines.add(declaration.name() + " " + comparison + " " + value + " " + sorted(found));
      }
    }
    return lines;
  }
}
