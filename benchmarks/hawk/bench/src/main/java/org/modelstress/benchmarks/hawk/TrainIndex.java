package org.modelstress.benchmarks.hawk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.impl.EPackageRegistryImpl;
import org.modelstress.queries.Cancellation;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.hawk.index.IndexBuilder;
import org.modelstress.hawk.index.IndexFolder;
import org.modelstress.hawk.query.Element;
import org.modelstress.hawk.query.Fidelity;
import org.modelstress.hawk.query.Language;
import org.modelstress.hawk.query.QueryEngine;
import org.modelstress.hawk.query.QueryScope;
import org.modelstress.models.ModelSource;

/** A Train model in an index, in a temporary folder that is gone when it is closed. */
final class TrainIndex implements AutoCloseable {
  private static final String METAMODEL =
      "http://www.semanticweb.org/ontologies/2015/trainbenchmark";
  private static final int CACHE_MEGABYTES = 512;

  /** Where a generated model would be. */
  static final Path PATH = Path.of("train.xmi");

  private final Path folder;
  private final Graph graph;
  private final Catalog catalog;

  TrainIndex(EObject root, Backend backend, boolean declared) throws IOException {
    folder = Files.createTempDirectory("query-bench");
    IndexFolder index = new IndexFolder(folder);
    IndexBuilder.build(
        PATH,
        source(root),
        declared ? declarations() : List.of(),
        backend,
        index,
        CACHE_MEGABYTES,
        (done, total) -> {});
    graph = backend.open(index.graph(), CACHE_MEGABYTES);
    catalog = Catalog.read(graph);
  }

  /** A generated model as if it had been read. */
  static ModelSource source(EObject root) {
    EPackage.Registry metamodels = new EPackageRegistryImpl();
    metamodels.put(METAMODEL, root.eClass().getEPackage());
    String sha256 = "0".repeat(64);
    List<EObject> roots = List.of(root);
    return new ModelSource(
        roots, metamodels, List.of(new ModelSource.File(PATH.toString(), sha256, roots)), sha256);
  }

  /** As in queries/train/attributes.yaml. */
  static List<AttributeDeclaration> declarations() {
    return List.of(
        AttributeDeclaration.of(
            Map.of(
                "kind", "derived",
                "metamodel", METAMODEL,
                "type", "Sensor",
                "name", "nMonitoredSegments",
                "value_type", "Integer",
                "logic", "self.monitors.select(e | e.isKindOf(Segment)).size()")),
        AttributeDeclaration.of(
            Map.of(
                "kind", "derived",
                "metamodel", METAMODEL,
                "type", "Switch",
                "name", "isMonitored",
                "value_type", "Boolean",
                "logic", "not self.monitoredBy.isEmpty()")),
        AttributeDeclaration.of(
            Map.of(
                "kind", "indexed",
                "metamodel", METAMODEL,
                "type", "Segment",
                "name", "length")));
  }

  QueryEngine engine(Fidelity fidelity) {
    return new QueryEngine(graph, catalog, fidelity);
  }

  /** Runs a query; the nodes of all matches one after the other, in the order of the roles. */
  static LongArrayList run(QueryEngine engine, Language language, String text, List<String> roles) {
    try {
      return engine.run(
          language,
          text,
          QueryScope.ALL,
          new Cancellation(),
          (result, reader) -> nodes(result, roles));
    } catch (Exception e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private static LongArrayList nodes(Object result, List<String> roles) {
    LongArrayList nodes = new LongArrayList();
    if (result instanceof Iterable<?> matches) {
      for (Object match : matches) {
        if (match instanceof Element element) {
          nodes.add(element.node());
        } else if (match instanceof Map<?, ?> bindings) {
          roles.forEach(role -> nodes.add(((Element) bindings.get(role)).node()));
        } else {
          ((Iterable<?>) match).forEach(part -> nodes.add(((Element) part).node()));
        }
      }
    }
    return nodes;
  }

  /** The nodes of all elements in containment order. */
  LongArrayList elements() {
    LongArrayList nodes = new LongArrayList();
    try (GraphReader reader = graph.read()) {
      reader.nodes(NodeKind.ELEMENT, nodes);
    }
    return nodes.sortThis();
  }

  @Override
  public void close() {
    graph.close();
    List<Path> all = new ArrayList<>();
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(all::add);
      for (Path file : all) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
