package org.modelstress.hawk.index;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.map.mutable.primitive.IntLongHashMap;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.models.ModelSource;

/**
 * Prepares an update of some files of a model without the others. That is possible as long as these
 * files and the others have nothing to do with each other but that elements of the ones contain the
 * topmost elements of the others, and do so after the update as before.
 */
final class PartUpdate {
  private final Path path;
  private final Model model;
  private final Map<Path, FileNode> indexed;
  private final Map<Path, ModelSource.File> read;
  private final Graph graph;
  private final GraphReader reader;
  private final Catalog catalog;
  private final int inFile;
  private final Region region;

  private PartUpdate(
      Path path,
      Model model,
      List<FileNode> indexed,
      Set<Path> all,
      Graph graph,
      GraphReader reader,
      Catalog catalog) {
    this.path = path;
    this.model = model;
    this.indexed = indexed.stream().collect(Collectors.toMap(FileNode::path, Function.identity()));
    this.read =
        model.files().stream()
            .collect(Collectors.toMap(f -> FileNode.place(path, f.path()), Function.identity()));
    this.graph = graph;
    this.reader = reader;
    this.catalog = catalog;
    this.inFile = graph.label(Layout.IN_FILE);
    LongArrayList elements = new LongArrayList();
    for (FileNode file : indexed) {
      if (read.containsKey(file.path()) || !all.contains(file.path())) {
        reader.sources(file.node(), inFile, elements);
      }
    }
    this.region = new Region(elements, graph, reader, catalog);
  }

  /**
   * Prepares the update.
   *
   * @param path of the {@code model.json}
   * @param model the files that are new or changed
   * @param indexed the files that the graph has
   * @param all the files that the model has now
   * @return null if only an update of the whole model is sure to be right
   * @throws IllegalArgumentException if the model has a class that the index does not know; nothing
   *     has been written then
   */
  static ModelUpdate prepare(
      Path path, Model model, List<FileNode> indexed, Set<Path> all, Graph graph, Catalog catalog) {
    try (GraphReader reader = graph.read()) {
      return new PartUpdate(path, model, indexed, all, graph, reader, catalog).prepare();
    }
  }

  private ModelUpdate prepare() {
    IntLongHashMap elsewhere = elsewhere();
    if (elsewhere == null || isReferredTo()) {
      return null;
    }
    LongArrayList nodes = region.ordered();
    Map<Integer, Integer> same = sameTops(nodes);
    if (same == null) {
      return null;
    }
    Tree before = Tree.of(nodes, region.elsewhere(), graph, reader, catalog);
    Tree after = Tree.of(model, elsewhere, catalog);
    ModelUpdate update = new ModelUpdate(path, model, before, nodes, after, same, graph, catalog);
    boolean kept =
        same.entrySet().stream().allMatch(e -> update.before(e.getValue()) == e.getKey())
            && elsewhere.keysView().noneSatisfy(i -> update.before(i) == Alignment.NEW);
    return kept ? update : null;
  }

  /**
   * The nodes of the elements that were not read. They have to be those that the files contained
   * before, too: then nothing is contained twice or not at all.
   *
   * @return null if they are not
   */
  private IntLongHashMap elsewhere() {
    Map<Long, Long> byFile = new HashMap<>();
    region.elsewhere().forEach(node -> byFile.put(reader.target(node, inFile), node));
    IntLongHashMap found = new IntLongHashMap();
    for (int i = 0; i < model.size(); i++) {
      if (model.file(i) == Model.ELSEWHERE) {
        FileNode file = indexed.get(FileNode.place(path, model.elsewhere(i)));
        Long node = file == null || file.topmost() != 1 ? null : byFile.remove(file.node());
        if (node == null || knowsContainer(model.element(i).eClass())) {
          return null;
        }
        found.put(i, node);
      }
    }
    return byFile.isEmpty() && found.size() == region.elsewhere().size() ? found : null;
  }

  /** Whether a class has a reference to the container, which would have to be rewritten too. */
  private static boolean knowsContainer(EClass eClass) {
    return eClass.getEAllReferences().stream().anyMatch(EReference::isContainer);
  }

  /** Whether elements of other files refer to some that might not be the same after the update. */
  private boolean isReferredTo() {
    int[] labels =
        catalog.types().stream()
            .flatMap(type -> type.features().values().stream())
            .filter(f -> f instanceof Catalog.Reference r && !r.eReference().isContainment())
            .mapToInt(f -> ((Catalog.Reference) f).label())
            .distinct()
            .toArray();
    LongArrayList sources = new LongArrayList();
    return region
        .elements()
        .anySatisfy(
            element -> {
              for (int label : labels) {
                sources.clear();
                reader.sources(element, label, sources);
                if (sources.anySatisfy(source -> !region.has(source))) {
                  return true;
                }
              }
              return false;
            });
  }

  /**
   * The topmost elements that stay what they are, as numbers before and after. Those that are
   * contained by another file have to be among them.
   *
   * @return null if they are not
   */
  private Map<Integer, Integer> sameTops(LongArrayList nodes) {
    int[] containments =
        catalog.types().stream()
            .flatMap(type -> type.features().values().stream())
            .filter(f -> f instanceof Catalog.Reference r && r.eReference().isContainment())
            .mapToInt(f -> ((Catalog.Reference) f).label())
            .distinct()
            .toArray();
    Map<Long, FileNode> files =
        indexed.values().stream().collect(Collectors.toMap(FileNode::node, Function.identity()));
    Map<Integer, Integer> same = new HashMap<>();
    LongArrayList tops = region.tops();
    for (int i = 0; i < tops.size(); i++) {
      long top = tops.get(i);
      FileNode file = files.get(reader.target(top, inFile));
      int now = file.topmost() == 1 ? only(read.get(file.path())) : -1;
      if (now >= 0) {
        same.put(nodes.indexOf(top), now);
      }
      if (isContained(top, containments)
          && (now < 0
              || knowsContainer(model.element(now).eClass())
              || isBelowElsewhere(top, containments))) {
        return null;
      }
    }
    return same;
  }

  /** Number of the topmost element of a file if it is the only one and a root, else -1. */
  private int only(ModelSource.File file) {
    if (file == null || file.contents().size() != 1) {
      return -1;
    }
    EObject topmost = file.contents().get(0);
    return topmost.eContainer() == null ? model.indexOf(topmost) : -1;
  }

  private boolean isContained(long node, int[] containments) {
    return container(node, containments) != GraphReader.NONE;
  }

  private long container(long node, int[] containments) {
    for (int containment : containments) {
      long found = reader.source(node, containment);
      if (found != GraphReader.NONE) {
        return found;
      }
    }
    return GraphReader.NONE;
  }

  /** Whether what the files contain elsewhere contains them: it might come to lie below itself. */
  private boolean isBelowElsewhere(long node, int[] containments) {
    long above = node;
    while (above != GraphReader.NONE) {
      if (region.elsewhere().contains(above)) {
        return true;
      }
      above = container(above, containments);
    }
    return false;
  }
}
