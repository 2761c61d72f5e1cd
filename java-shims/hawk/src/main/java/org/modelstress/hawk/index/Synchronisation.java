package org.modelstress.hawk.index;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.emf.ecore.EPackage;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.catalog.Metamodel;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelPart;
import org.modelstress.models.ModelSource;

/**
 * Brings an index up to date with its model: by the files that changed where they can be understood
 * without the others, by the whole model otherwise.
 */
final class Synchronisation {
  /**
   * What it did.
   *
   * @param message one sentence
   */
  record Outcome(String message, UpdateCounts counts) {}

  private final IndexFolder folder;
  private final Graph graph;
  // of all elements in containment order; null when not read yet or not known any more
  private LongArrayList nodes;

  Synchronisation(IndexFolder folder, Graph graph) {
    this.folder = folder;
    this.graph = graph;
  }

  /**
   * Updates the graph.
   *
   * @param begin run before anything becomes durable
   * @throws ModelException if the model cannot be read or does not fit the index; the graph is as
   *     it was
   */
  Outcome run(Catalog catalog, Runnable begin) throws ModelException {
    List<FileNode> indexed;
    try (GraphReader reader = graph.read()) {
      indexed = FileNode.all(graph, reader);
    }
    Path path = indexed.get(0).model();
    try {
      Outcome done = null;
      if (indexed.size() > 1) {
        done = byFiles(path, indexed, catalog, begin);
      }
      return done == null ? whole(path, indexed, catalog, begin) : done;
    } catch (IllegalArgumentException e) {
      throw new ModelException("Model " + path + ": " + e.getMessage() + ".", e);
    }
  }

  private static Outcome unchanged(Path path) {
    return new Outcome("Model " + path + " is as it was.", UpdateCounts.NONE);
  }

  /** Returns null if the whole model has to be read. */
  private Outcome byFiles(Path path, List<FileNode> indexed, Catalog catalog, Runnable begin)
      throws ModelException {
    Map<Path, String> known =
        indexed.stream().collect(Collectors.toMap(FileNode::path, FileNode::sha256));
    Optional<ModelPart> changed =
        ModelPart.read(
            path, entry -> !entry.sha256().equals(known.get(FileNode.place(path, entry.path()))));
    if (changed.isEmpty()) {
      return null;
    }
    ModelPart part = changed.get();
    checkMetamodels(part.metamodels());
    Set<Path> all =
        part.description().files().stream()
            .map(entry -> FileNode.place(path, entry.path()))
            .collect(Collectors.toSet());
    if (part.files().isEmpty() && all.containsAll(known.keySet())) {
      return unchanged(path);
    }
    ModelUpdate update = PartUpdate.prepare(path, new Model(part), indexed, all, graph, catalog);
    if (update == null) {
      return null;
    }
    begin.run();
    nodes = null;
    folder.removeIds(); // writing them all would cost more than the update
    ModelUpdate.Done done = update.write(all);
    return outcome(done, "by " + part.files().size() + " of " + all.size() + " files of " + path);
  }

  private Outcome whole(Path path, List<FileNode> indexed, Catalog catalog, Runnable begin)
      throws ModelException {
    ModelSource source = ModelSource.read(path);
    Function<ModelSource.File, Path> place = file -> FileNode.place(path, file.path());
    Map<Path, String> is =
        source.files().stream().collect(Collectors.toMap(place, ModelSource.File::sha256));
    Map<Path, String> was =
        indexed.stream().collect(Collectors.toMap(FileNode::path, FileNode::sha256));
    if (is.equals(was)) {
      return unchanged(path);
    }
    checkMetamodels(source.metamodels());
    if (nodes == null) {
      nodes = folder.hasIds() ? folder.readIds(graph) : orderInGraph(catalog);
    }
    ModelUpdate update = ModelUpdate.whole(path, new Model(source), nodes, graph, catalog);
    begin.run();
    ModelUpdate.Done done = update.write(is.keySet());
    nodes = done.nodes();
    folder.writeIds(nodes, graph);
    return outcome(done, "with " + path);
  }

  private static Outcome outcome(ModelUpdate.Done done, String how) {
    String message =
        done.failures() == null
            ? "The index is up to date " + how + "."
            : "The index is up to date; " + done.failures();
    return new Outcome(message, done.counts());
  }

  private LongArrayList orderInGraph(Catalog catalog) {
    try (GraphReader reader = graph.read()) {
      LongArrayList elements = new LongArrayList();
      reader.nodes(NodeKind.ELEMENT, elements);
      return new Region(elements, graph, reader, catalog).ordered();
    }
  }

  /** A metamodel stays what it was when its first model was indexed. */
  private void checkMetamodels(EPackage.Registry metamodels) throws ModelException {
    try (GraphReader reader = graph.read()) {
      LongArrayList known = new LongArrayList();
      reader.nodes(NodeKind.METAMODEL, known);
      for (int i = 0; i < known.size(); i++) {
        String nsUri = (String) reader.property(known.get(i), graph.key(Layout.NS_URI));
        EPackage now = metamodels.getEPackage(nsUri);
        String text = (String) reader.property(known.get(i), graph.key(Layout.ECORE));
        if (now != null && !Metamodel.text(now).equals(text)) {
          throw new ModelException(
              "Metamodel " + nsUri + " is not the one that was indexed; load the index again.");
        }
      }
    }
  }
}
