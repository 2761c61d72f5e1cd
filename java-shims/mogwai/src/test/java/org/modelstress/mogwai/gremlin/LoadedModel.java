package org.modelstress.mogwai.gremlin;

import com.tinkerpop.blueprints.Vertex;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.eclipse.emf.ecore.EEnumLiteral;
import org.eclipse.emf.ecore.ENamedElement;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.ocl.util.Tuple;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ocl.OclQuery;
import org.modelstress.mogwai.store.BulkLoader;
import org.modelstress.mogwai.store.ModelGraph;
import org.modelstress.mogwai.store.NeoEmfGraph;
import org.modelstress.mogwai.store.Schema;
import org.modelstress.mogwai.store.StoreOptions;
import org.modelstress.queries.Cancellation;

/** A model in memory and in a graph, which is gone when it is closed. */
final class LoadedModel implements AutoCloseable {
  private final EObject root;
  private final EPackage.Registry packages;
  private final ElementIndex elements;
  private final Path folder;
  private final ModelGraph graph;
  private final long first;

  LoadedModel(EObject root, EPackage.Registry packages) throws Exception {
    this.root = root;
    this.packages = packages;
    this.elements = new ElementIndex(root);
    this.folder = Files.createTempDirectory("loaded-model");
    Path database = folder.resolve("graph");
    BulkLoader.load(root, database, folder.resolve("ids"), "0".repeat(64), (done, all) -> {});
    this.graph = NeoEmfGraph.open(database, packages, StoreOptions.DEFAULT);
    Vertex top = graph.graph().getVertices(Schema.ID, Schema.ROOT).iterator().next();
    Vertex element =
        top.getVertices(com.tinkerpop.blueprints.Direction.OUT, Schema.CONTENTS).iterator().next();
    this.first = (Long) element.getId();
    graph.graph().rollback();
  }

  ModelGraph graph() {
    return graph;
  }

  EObject root() {
    return root;
  }

  /** What Eclipse OCL makes of a query in memory, as text; "invalid" or a message. */
  String inMemory(String query) {
    try {
      return text(OclQuery.parse(query, packages).value(root));
    } catch (Exception e) {
      return e.getMessage().contains("is invalid") ? "invalid" : e.getMessage();
    }
  }

  /** What the engine makes of it. */
  String inGraph(QueryEngine engine, String query) {
    try {
      return text(engine.run(query, new Cancellation()));
    } catch (Exception e) {
      return e.getMessage().contains("is invalid") ? "invalid" : e.getMessage();
    }
  }

  /** Equal for equal values: sets and bags are sorted, elements have their number. */
  private String text(Object value) {
    if (value instanceof Vertex vertex) {
      return "#" + ((Long) vertex.getId() - first);
    } else if (value instanceof EEnumLiteral literal) {
      return literal.getName();
    } else if (value instanceof EObject element) {
      if ("invalid".equals(element.toString())) {
        throw new IllegalArgumentException("a part is invalid");
      }
      return "#" + elements.indexOf(element);
    } else if (value instanceof Map<?, ?> tuple) {
      Map<String, String> parts = new TreeMap<>();
      tuple.forEach((name, part) -> parts.put((String) name, text(part)));
      return "Tuple" + parts;
    } else if (value instanceof Tuple<?, ?> tuple) {
      Map<String, String> parts = new TreeMap<>();
      for (Object property : tuple.getTupleType().oclProperties()) {
        String name = ((ENamedElement) property).getName();
        parts.put(name, text(tuple.getValue(name)));
      }
      return "Tuple" + parts;
    } else if (value instanceof Collection<?> all) {
      List<String> texts = new ArrayList<>(all.stream().map(this::text).toList());
      boolean ordered = all instanceof List<?> || all instanceof LinkedHashSet<?>;
      if (!ordered) {
        texts.sort(Comparator.naturalOrder());
      }
      String kind = all instanceof Set<?> ? "Set" : ordered ? "Sequence" : "Bag";
      return (all instanceof LinkedHashSet<?> ? "Ordered" : "") + kind + texts;
    }
    return value == null ? "null" : value.getClass().getSimpleName() + " " + value;
  }

  @Override
  public void close() {
    graph.close();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
