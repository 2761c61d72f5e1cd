package org.modelstress.hawk.index;

import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.map.mutable.primitive.IntLongHashMap;
import org.eclipse.collections.impl.set.mutable.primitive.LongHashSet;
import org.eclipse.emf.ecore.EReference;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.GraphWriter;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.hawk.query.GraphAccess;
import org.modelstress.models.ModelSource;

/**
 * Rewrites in the graph what differs between the model that it holds and the one in memory, or
 * between some files of the two.
 */
final class ModelUpdate {
  /** Changed elements per transaction, so that memory is bounded. */
  private static final int BATCH = 5_000;

  private final Path path;
  private final Model model;
  private final Tree before;
  private final Tree after;
  private final int[] oldOf;
  private final LongArrayList oldNodes;
  private final long[] nodes;
  private final LongHashSet vanishing = new LongHashSet();
  private final Set<Catalog.Type> touchedTypes = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Map<Catalog.Type, List<Catalog.Type>> kinds = new IdentityHashMap<>();
  private final Graph graph;
  private final Catalog catalog;
  private final int ofType;
  private final int ofKind;
  private final int inFile;
  private GraphWriter writer;
  private DerivedValues derived;
  private long[] files;
  private boolean filesDiffer;
  private int created;
  private int rewritten;
  private int unsaved;

  /**
   * Compares.
   *
   * @param path of what was read: a model file or {@code model.json}
   * @param before what the graph has
   * @param oldNodes its nodes, by the numbers in {@code before}
   * @param after what it will have: the model's elements
   * @param same numbers before and after of elements that are the same if their types are
   */
  ModelUpdate(
      Path path,
      Model model,
      Tree before,
      LongArrayList oldNodes,
      Tree after,
      Map<Integer, Integer> same,
      Graph graph,
      Catalog catalog) {
    this.path = path;
    this.model = model;
    this.before = before;
    this.after = after;
    this.oldOf = Alignment.of(before, after, same);
    this.oldNodes = oldNodes;
    this.nodes = new long[model.size()];
    this.graph = graph;
    this.catalog = catalog;
    this.ofType = graph.label(Layout.OF_TYPE);
    this.ofKind = graph.label(Layout.OF_KIND);
    this.inFile = graph.label(Layout.IN_FILE);
    vanishing.addAll(oldNodes);
    for (int old : oldOf) {
      if (old != Alignment.NEW) {
        vanishing.remove(oldNodes.get(old));
      }
    }
  }

  /**
   * What one update did.
   *
   * @param nodes of all elements of the model that was read, in containment order, as they are now
   * @param failures one sentence on derived attributes that could not be computed, or null
   */
  record Done(LongArrayList nodes, UpdateCounts counts, String failures) {}

  /**
   * Prepares to make the graph hold the whole model in memory.
   *
   * @param path of what was read: a model file or {@code model.json}
   * @param oldNodes the elements in the graph, containers before what they contain
   * @throws IllegalArgumentException if the model has a class that the index does not know; nothing
   *     has been written then
   */
  static ModelUpdate whole(
      Path path, Model model, LongArrayList oldNodes, Graph graph, Catalog catalog) {
    Tree after = Tree.of(model, new IntLongHashMap(), catalog);
    try (GraphReader reader = graph.read()) {
      Tree before = Tree.of(oldNodes, new LongHashSet(), graph, reader, catalog);
      boolean oneRoot = before.roots() == 1 && after.roots() == 1;
      Map<Integer, Integer> same = oneRoot ? Map.of(0, 0) : Map.of();
      return new ModelUpdate(path, model, before, oldNodes, after, same, graph, catalog);
    }
  }

  /** The number before of an element, or {@link Alignment#NEW}. */
  int before(int index) {
    return oldOf[index];
  }

  /**
   * Writes what differs.
   *
   * @param all the files that the model has; others are forgotten
   */
  Done write(Set<Path> all) {
    try (GraphWriter opened = graph.write()) {
      writer = opened;
      derived = new DerivedValues(graph, writer, catalog);
      Map<Path, Long> known = new HashMap<>();
      FileNode.all(graph, writer).forEach(file -> known.put(file.path(), file.node()));
      files = model.files().stream().mapToLong(file -> fileNode(file, known)).toArray();
      filesDiffer = known.size() > 1 || model.files().size() > 1;
      for (int i = 0; i < nodes.length; i++) {
        nodes[i] = oldOf[i] == Alignment.NEW ? create(i) : oldNodes.get(oldOf[i]);
      }
      for (int i = 0; i < nodes.length; i++) {
        if (model.file(i) != Model.ELSEWHERE) {
          rewrite(i);
        }
      }
      deleteVanished();
      touchedTypes.forEach(type -> derived.touched(type.node()));
      for (int i = 0; i < nodes.length; i++) {
        if (oldOf[i] == Alignment.NEW) {
          derived.computeAll(nodes[i]);
          saveNowAndThen();
        }
      }
      int computed = derived.computed();
      int recomputed = derived.refresh();
      known.keySet().removeAll(all);
      known.values().forEach(writer::deleteNode);
      describeFiles();
      derived.writeCounts();
      writer.commit();
      return new Done(
          LongArrayList.newListWith(nodes),
          new UpdateCounts(created, vanishing.size(), rewritten, computed, recomputed),
          derived.failures());
    }
  }

  private long fileNode(ModelSource.File file, Map<Path, Long> known) {
    Long node = known.get(FileNode.place(path, file.path()));
    return node == null ? writer.createNode(NodeKind.FILE, FileNode.properties(path, file)) : node;
  }

  private void describeFiles() {
    for (int i = 0; i < files.length; i++) {
      long node = files[i];
      FileNode.properties(path, model.files().get(i))
          .forEach((name, value) -> writer.setProperty(node, graph.key(name), value));
    }
  }

  private void saveNowAndThen() {
    if (++unsaved % BATCH == 0) {
      writer.commit();
    }
  }

  private long create(int index) {
    Catalog.Type type = after.type(index);
    Map<String, Object> attributes = after.attributes(index);
    long node = writer.createNode(NodeKind.ELEMENT, attributes);
    writer.createEdge(node, ofType, type.node());
    for (Catalog.Type kind : kinds(type)) {
      writer.createEdge(node, ofKind, kind.node());
    }
    touchedTypes.addAll(kinds(type));
    writer.createEdge(node, inFile, files[model.file(index)]);
    for (Catalog.Feature feature : type.features().values()) {
      if (feature instanceof Catalog.Attribute attribute) {
        index(type, attribute, node, attributes.get(attribute.name()));
      }
    }
    created++;
    saveNowAndThen();
    return node;
  }

  /** Brings the entries of an attribute's indices up to date. */
  private void index(Catalog.Type type, Catalog.Attribute attribute, long node, Object value) {
    for (AttributeDeclaration declaration : catalog.indicesOf(type, attribute.name())) {
      writer.setIndexed(declaration.index(), node, value == null ? attribute.fallback() : value);
    }
  }

  private List<Catalog.Type> kinds(Catalog.Type type) {
    return kinds.computeIfAbsent(type, t -> catalog.types().stream().filter(t::isKindOf).toList());
  }

  /** Attributes and references of an element that was there before, references of a new one. */
  private void rewrite(int index) {
    boolean isNew = oldOf[index] == Alignment.NEW;
    boolean changed = !isNew && (moveToFile(index) | rewriteAttributes(index));
    for (EReference reference : model.references(index)) {
      int[] targets = model.targets(index, reference);
      var feature = (Catalog.Reference) after.type(index).features().get(reference.getName());
      if (isNew) {
        for (int target : targets) {
          createEdge(nodes[index], feature, nodes[target]);
        }
      } else {
        changed |= rewriteEdges(index, feature, targets);
      }
    }
    if (changed) {
      rewritten++;
      saveNowAndThen();
    }
  }

  private boolean moveToFile(int index) {
    if (!filesDiffer) {
      return false;
    }
    long is = files[model.file(index)];
    long was = writer.target(nodes[index], inFile);
    if (was != is) {
      writer.deleteEdge(nodes[index], inFile, was);
      writer.createEdge(nodes[index], inFile, is);
    }
    return was != is;
  }

  private boolean rewriteAttributes(int index) {
    Map<String, Object> was = before.attributes(oldOf[index]);
    Map<String, Object> is = after.attributes(index);
    Set<String> names = new HashSet<>(was.keySet());
    names.addAll(is.keySet());
    names.removeIf(name -> Objects.deepEquals(was.get(name), is.get(name)));
    for (String name : names) {
      writer.setProperty(nodes[index], graph.key(name), is.get(name));
      Catalog.Type type = after.type(index);
      if (type.features().get(name) instanceof Catalog.Attribute attribute) {
        index(type, attribute, nodes[index], is.get(name));
        derived.touched(nodes[index], name);
      }
    }
    return !names.isEmpty();
  }

  private boolean rewriteEdges(int index, Catalog.Reference feature, int[] targets) {
    long node = nodes[index];
    LongArrayList was = new LongArrayList();
    writer.targets(node, feature.label(), was);
    LongArrayList is = new LongArrayList(targets.length);
    for (int target : targets) {
      is.add(nodes[target]);
    }
    was.sortThis();
    is.sortThis();
    if (was.equals(is)) {
      return false;
    }
    int w = 0;
    int i = 0;
    while (w < was.size() || i < is.size()) {
      if (i == is.size() || (w < was.size() && was.get(w) < is.get(i))) {
        deleteEdge(node, feature, was.get(w++));
      } else if (w == was.size() || is.get(i) < was.get(w)) {
        createEdge(node, feature, is.get(i++));
      } else {
        w++;
        i++;
      }
    }
    return true;
  }

  private void createEdge(long from, Catalog.Reference feature, long to) {
    writer.createEdge(from, feature.label(), to);
    touched(from, feature, to);
  }

  private void deleteEdge(long from, Catalog.Reference feature, long to) {
    // the edges of an element that vanishes go with it
    if (!vanishing.contains(to)) {
      writer.deleteEdge(from, feature.label(), to);
    }
    touched(from, feature, to);
  }

  private void touched(long from, Catalog.Reference feature, long to) {
    derived.touched(from, feature.name());
    derived.touched(to, GraphAccess.REVERSE + feature.name());
    if (feature.eReference().isContainment()) {
      derived.touched(from, GraphAccess.CONTENTS);
      derived.touched(to, GraphAccess.CONTAINER);
    }
  }

  private void deleteVanished() {
    LongArrayList targets = new LongArrayList();
    for (int i = 0; i < before.size(); i++) {
      long node = oldNodes.get(i);
      if (vanishing.contains(node)) {
        touchedTypes.addAll(kinds(before.type(i)));
        for (Catalog.Feature feature : before.type(i).features().values()) {
          if (feature instanceof Catalog.Reference reference) {
            targets.clear();
            writer.targets(node, reference.label(), targets);
            targets.forEach(target -> touched(node, reference, target));
          }
        }
        derived.delete(node);
        writer.deleteNode(node);
        saveNowAndThen();
      }
    }
  }
}
