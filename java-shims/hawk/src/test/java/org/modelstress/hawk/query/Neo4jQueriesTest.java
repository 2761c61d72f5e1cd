package org.modelstress.hawk.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.emf.ecore.EObject;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.hawk.Sources;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.graph.Backends;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.hawk.index.IndexBuilder;
import org.modelstress.hawk.index.IndexFolder;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.queries.Cancellation;

/** The benchmark's queries over Neo4j give what they give over the graph in memory. */
class Neo4jQueriesTest {
  private static final int THREADS = 8;

  @TempDir private static Path folder;
  private static ModelGraph memory;
  private static Graph graph;
  private static Catalog catalog;
  private static final Map<Long, String> NAMES = new HashMap<>();

  @BeforeAll
  static void build() {
    EObject root =
        TrainGenerator.generate(Line.LINE_2016, Scenario.REPAIR, 2, TrainGenerator.DEFAULT_SEED);
    memory = new ModelGraph(root, ModelGraph.train());
    IndexFolder index = new IndexFolder(folder);
    Path path = Path.of("/models/train.xmi");
    IndexBuilder.build(
        path,
        Sources.of(path, root),
        List.of(ModelGraph.train()),
        Backends.named("neo4j"),
        index,
        64,
        (done, total) -> {});
    graph = Backends.named("neo4j").open(index.graph(), 64);
    catalog = Catalog.read(graph);
    LongArrayList elements = elements();
    for (int i = 0; i < elements.size(); i++) {
      NAMES.put(elements.get(i), "e" + i);
    }
  }

  @AfterAll
  static void close() {
    graph.close();
  }

  private static LongArrayList elements() {
    LongArrayList elements = new LongArrayList();
    try (GraphReader reader = graph.read()) {
      reader.nodes(NodeKind.ELEMENT, elements);
    }
    return elements.sortThis();
  }

  private static Object run(QueryEngine engine, Language language, String text) throws Exception {
    return engine.run(
        language, text, QueryScope.ALL, new Cancellation(), (result, reader) -> named(result));
  }

  /** Matches in any order: databases return the targets of a reference in any. */
  private static List<String> named(Object result) {
    List<String> matches = new ArrayList<>();
    ((Iterable<?>) result).forEach(match -> matches.add(name(match)));
    return matches.stream().sorted().toList();
  }

  private static String name(Object value) {
    if (value instanceof Element element) {
      return NAMES.get(element.node());
    }
    List<String> parts = new ArrayList<>();
    Iterable<?> of = value instanceof Map<?, ?> map ? map.values() : (Iterable<?>) value;
    of.forEach(part -> parts.add(name(part)));
    return parts.toString();
  }

  private static List<String> plain(Object result) {
    return ((List<?>) result)
        .stream()
            .map(m -> m instanceof Map<?, ?> map ? map.values().toString() : m.toString())
            .sorted()
            .toList();
  }

  @Test
  void inManyThreads() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      for (Fidelity fidelity : Fidelity.values()) {
        QueryEngine engine = new QueryEngine(graph, catalog, fidelity);
        for (Path file : DifferentialTest.queryFiles().toList()) {
          Language language = file.toString().endsWith(".eol") ? Language.EOL : Language.EPL;
          String text = Files.readString(file);
          Object expected = plain(memory.run(Fidelity.IMPROVED, language, text));
          // some queries are interpreted in all threads at once
          String interpreted = language == Language.EOL ? text + "\noperation f() {}" : text;
          List<Future<Object>> found = new ArrayList<>();
          for (int i = 0; i < THREADS; i++) {
            String each = i % 2 == 0 ? text : interpreted;
            found.add(threads.submit(() -> run(engine, language, each)));
          }
          for (Future<Object> each : found) {
            assertEquals(expected, each.get(60, TimeUnit.SECONDS), fidelity + " " + file);
          }
        }
      }
    } finally {
      threads.shutdownNow();
      assertTrue(threads.awaitTermination(60, TimeUnit.SECONDS));
    }
  }
}
