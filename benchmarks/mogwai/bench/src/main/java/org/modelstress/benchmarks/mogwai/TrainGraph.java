package org.modelstress.benchmarks.mogwai;

import com.tinkerpop.blueprints.Direction;
import com.tinkerpop.blueprints.Vertex;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.models.Metamodels;
import org.modelstress.models.ModelException;
import org.modelstress.mogwai.store.BulkLoader;
import org.modelstress.mogwai.store.ModelGraph;
import org.modelstress.mogwai.store.NeoEmfGraph;
import org.modelstress.mogwai.store.Schema;
import org.modelstress.mogwai.store.StoreOptions;

/** A Train model in a graph, in a temporary folder that is gone when it is closed. */
final class TrainGraph implements AutoCloseable {
  private final Path folder;
  private final ModelGraph graph;

  /** Vertex of the root; the other elements follow in containment order. */
  private final long first;

  TrainGraph(EObject root, StoreOptions options) throws IOException, ModelException {
    folder = Files.createTempDirectory("train-graph");
    Path database = folder.resolve("graph");
    BulkLoader.load(root, database, folder.resolve("ids"), "0".repeat(64), (done, all) -> {});
    graph = NeoEmfGraph.open(database, Metamodels.registry(), options);
    Vertex top = graph.graph().getVertices(Schema.ID, Schema.ROOT).iterator().next();
    first = (Long) top.getVertices(Direction.OUT, Schema.CONTENTS).iterator().next().getId();
    graph.graph().rollback();
  }

  ModelGraph graph() {
    return graph;
  }

  /** The indices of the elements of all matches, one after the other, in the order of the roles. */
  long[] indices(Object result, List<String> roles) {
    List<Object> elements = new ArrayList<>();
    for (Object match : (Collection<?>) result) {
      if (match instanceof Map<?, ?> tuple) {
        roles.forEach(role -> elements.add(tuple.get(role)));
      } else {
        elements.add(match);
      }
    }
    return elements.stream().mapToLong(e -> (Long) ((Vertex) e).getId() - first).toArray();
  }

  @Override
  public void close() {
    graph.close();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
