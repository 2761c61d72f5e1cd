package org.modelstress.hawk.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.hawk.graph.orient.OrientBackend;

/** What OrientDB makes hard: caches of sessions, identifiers of new records, long link bags. */
@Timeout(300)
class OrientGraphTest {
  private static final int CACHE = 64;
  private static final String LABEL = "r:to";

  @TempDir Path temp;

  private final Backend backend = new OrientBackend();

  private Path folder() {
    return temp.resolve("graph");
  }

  /** A node with an edge from each of many others. */
  private long star(int points) {
    try (GraphLoader loader = backend.load(folder(), CACHE)) {
      long hub = loader.createNode(NodeKind.TYPE, Map.of("count", 0));
      List<Long> others = new ArrayList<>();
      for (int i = 0; i < points; i++) {
        others.add(loader.createNode(NodeKind.ELEMENT, Map.of("id", i)));
      }
      int label = loader.label(LABEL);
      others.forEach(other -> loader.createEdge(other, label, hub));
      return hub;
    }
  }

  private Graph open() {
    return backend.open(folder(), CACHE);
  }

  private static int sources(GraphReader reader, long node, int label) {
    LongArrayList found = new LongArrayList();
    reader.sources(node, label, found);
    assertEquals(found.size(), found.distinct().size());
    return found.size();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 999, 1000, 20_001})
  void linkBagsOfAnyLength(int points) {
    long hub = star(points);
    try (Graph graph = open()) {
      int label = graph.label(LABEL);
      long more;
      try (GraphWriter writer = graph.write()) {
        assertEquals(points, sources(writer, hub, label));
        more = writer.createNode(NodeKind.ELEMENT, Map.of());
        writer.createEdge(more, label, hub);
        long gone = writer.source(hub, label);
        assertTrue(writer.deleteEdge(gone, label, hub));
        assertFalse(writer.deleteEdge(gone, label, hub));
        writer.createEdge(more, label, hub);
        assertEquals(points + 1, writer.inDegree(hub, label));
        writer.commit();
        writer.deleteNode(more);
        assertEquals(points - 1, sources(writer, hub, label));
      }
      try (GraphReader reader = graph.read()) {
        assertEquals(points + 1, reader.inDegree(hub, label));
        assertEquals(2, reader.outDegree(more, label));
      }
      try (GraphWriter writer = graph.write()) {
        writer.deleteNode(hub);
        writer.commit();
        assertEquals(0, writer.outDegree(more, label));
      }
    }
  }

  @Test
  void identifiersOfNewNodesAreFinalWhateverHappensToOthers() {
    star(3);
    List<Long> kept = new ArrayList<>();
    for (int round = 0; round < 4; round++) {
      try (Graph graph = open()) {
        int id = graph.key("id");
        for (int update = 0; update < 3; update++) {
          try (GraphWriter writer = graph.write()) {
            long gone = writer.createNode(NodeKind.ELEMENT, Map.of());
            long node = writer.createNode(NodeKind.ELEMENT, Map.of("id", kept.size()));
            writer.deleteNode(gone);
            writer.commit();
            kept.add(node);
            writer.deleteNode(writer.createNode(NodeKind.ELEMENT, Map.of()));
            long last = writer.createNode(NodeKind.ELEMENT, Map.of());
            writer.commit();
            writer.deleteNode(last);
            writer.commit();
            writer.createNode(NodeKind.ELEMENT, Map.of("id", -1));
          }
        }
        try (GraphReader reader = graph.read()) {
          for (int i = 0; i < kept.size(); i++) {
            assertEquals(i, reader.property(kept.get(i), id));
          }
          LongArrayList elements = new LongArrayList();
          reader.nodes(NodeKind.ELEMENT, elements);
          assertEquals(3 + kept.size(), elements.size());
        }
      }
    }
  }

  @Test
  void aCopyOfTheFilesOfARunningGraphHasWhatWasCommitted() throws IOException {
    long hub = star(50);
    Path copy = temp.resolve("copy");
    try (Graph graph = open()) {
      graph.createIndex("id", IndexType.WHOLE);
      try (GraphWriter writer = graph.write()) {
        long node = writer.createNode(NodeKind.ELEMENT, Map.of("id", 77));
        writer.setIndexed("id", node, 77);
        writer.createEdge(node, graph.label(LABEL), hub);
        writer.commit();
        writer.createNode(NodeKind.ELEMENT, Map.of("id", 78));
        // as if the machine stopped now
        copy(folder(), copy);
      }
    }
    try (Graph graph = backend.open(copy, CACHE);
        GraphReader reader = graph.read()) {
      LongArrayList found = new LongArrayList();
      reader.lookup("id", Comparison.EQ, 77, found);
      assertEquals(1, found.size());
      assertEquals(77, reader.property(found.get(0), graph.key("id")));
      assertEquals(51, sources(reader, hub, graph.label(LABEL)));
      found.clear();
      reader.nodes(NodeKind.ELEMENT, found);
      assertEquals(51, found.size());
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(from)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) {
      Path target = to.resolve(from.relativize(file).toString());
      Files.createDirectories(target.getParent());
      Files.copy(file, target);
    }
  }

  @Test
  void manyThreadsReadWhatWasCommittedBefore() throws Exception {
    readWhileWriting(16, 2);
  }

  @Test
  @Tag("long")
  void sixtyFourThreadsReadWhatWasCommittedBefore() throws Exception {
    readWhileWriting(64, 20);
  }

  /** A writer counts in a node and hangs another one on it each time; readers must keep up. */
  private void readWhileWriting(int threads, int seconds) throws Exception {
    int points = 3000;
    long hub = star(points);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger committed = new AtomicInteger();
    AtomicLong reads = new AtomicLong();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (Graph graph = open()) {
      graph.createIndex("round", IndexType.WHOLE);
      int count = graph.key("count");
      int label = graph.label(LABEL);
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        running.add(
            pool.submit(
                () -> {
                  while (!stop.get()) {
                    int before = committed.get();
                    try (GraphReader reader = graph.read()) {
                      int seen = (Integer) reader.property(hub, count);
                      int edges = sources(reader, hub, label) - points;
                      LongArrayList found = new LongArrayList();
                      reader.lookup("round", Comparison.GE, 0, found);
                      int after = committed.get() + 1;
                      assertTrue(before <= seen && seen <= after, "stale property");
                      assertTrue(before <= edges && edges <= after, "stale edges");
                      assertTrue(before <= found.size() && found.size() <= after, "stale index");
                    }
                    reads.incrementAndGet();
                  }
                  return null;
                }));
      }
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      while (System.nanoTime() < end || reads.get() < threads) {
        int next = committed.get() + 1;
        try (GraphWriter writer = graph.write()) {
          long node = writer.createNode(NodeKind.ELEMENT, Map.of());
          writer.createEdge(node, label, hub);
          writer.setIndexed("round", node, next);
          writer.setProperty(hub, count, next);
          writer.commit();
        }
        committed.set(next);
        Thread.sleep(5);
        for (Future<?> one : running) {
          if (one.isDone()) {
            one.get();
          }
        }
      }
      stop.set(true);
      for (Future<?> one : running) {
        one.get(60, TimeUnit.SECONDS);
      }
      assertTrue(committed.get() > 0);
    } finally {
      stop.set(true);
      pool.shutdownNow();
    }
  }
}
