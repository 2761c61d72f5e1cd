package org.modelstress.hawk.index;

import java.nio.file.Path;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.emf.ecore.EClass;
import org.modelstress.harness.server.ToolServer.Progress;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphLoader;
import org.modelstress.models.ModelSource;

/** Builds a whole index in an empty folder. */
public final class IndexBuilder {
  /**
   * What was built.
   *
   * @param elements of the model, the root included
   * @param values of indexed and derived attributes
   * @param failures one sentence on derived attributes that could not be computed, or null
   */
  public record Built(long elements, long values, String failures) {}

  private IndexBuilder() {}

  /**
   * Indexes a model and declares its attributes.
   *
   * @param path of what was read: a model file or {@code model.json}
   * @param progress counts elements and attribute values
   * @throws IllegalArgumentException if a declaration does not fit the model's metamodel; one
   *     sentence
   */
  public static Built build(
      Path path,
      ModelSource source,
      List<AttributeDeclaration> declarations,
      Backend backend,
      IndexFolder folder,
      int cacheMegabytes,
      Progress progress) {
    Model model = new Model(source);
    long elements = model.size();
    long total = elements + values(model, declarations);
    LongArrayList nodes;
    try (GraphLoader loader = backend.load(folder.graph(), cacheMegabytes)) {
      nodes = ModelIndexer.index(path, source.rootPackages(), model, loader);
      loader.write(share -> progress.at((long) (share * elements), total));
    }
    progress.at(elements, total);
    try (Graph graph = backend.open(folder.graph(), cacheMegabytes)) {
      check(declarations, graph);
      String failures =
          Attributes.declare(
              declarations, graph, done -> progress.at(Math.min(elements + done, total), total));
      folder.writeIds(nodes, graph);
      progress.at(total, total);
      return new Built(elements, total - elements, failures);
    }
  }

  private static void check(List<AttributeDeclaration> declarations, Graph graph) {
    Catalog catalog = Catalog.read(graph);
    for (int i = 0; i < declarations.size(); i++) {
      Attributes.check(declarations.get(i), declarations.subList(0, i), graph, catalog);
    }
  }

  private static long values(Model model, List<AttributeDeclaration> declarations) {
    Map<EClass, Long> classes = new IdentityHashMap<>();
    for (int i = 0; i < model.size(); i++) {
      classes.merge(model.element(i).eClass(), 1L, Long::sum);
    }
    long values = 0;
    for (AttributeDeclaration declaration : declarations) {
      for (Map.Entry<EClass, Long> each : classes.entrySet()) {
        if (Catalog.holdsFor(declaration, each.getKey())) {
          values += each.getValue();
        }
      }
    }
    return values;
  }
}
