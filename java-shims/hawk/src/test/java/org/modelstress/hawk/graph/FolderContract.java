package org.modelstress.hawk.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What every backend must do with the folder of a graph: opening, closing and crashes. */
@Timeout(300)
public abstract class FolderContract {
  static final int CACHE = 64;

  @TempDir protected Path temp;

  protected abstract Backend backend();

  final Path folder() {
    return temp.resolve("graph");
  }

  /** An empty graph. */
  final Graph empty() {
    backend().load(folder(), CACHE).close();
    return open();
  }

  protected final Graph open() {
    return backend().open(folder(), CACHE);
  }

  static Set<Long> hits(Graph graph, String index, Comparison comparison, Object value) {
    LongArrayList found = new LongArrayList();
    try (GraphReader reader = graph.read()) {
      reader.lookup(index, comparison, value, found);
    }
    Set<Long> set = new TreeSet<>();
    found.forEach(set::add);
    assertEquals(found.size(), set.size(), "each node once");
    return set;
  }

  static void inThreads(int threads, Runnable action) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    CountDownLatch start = new CountDownLatch(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        running.add(
            pool.submit(
                () -> {
                  start.countDown();
                  start.await();
                  action.run();
                  return null;
                }));
      }
      for (Future<?> one : running) {
        one.get(120, TimeUnit.SECONDS);
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void aMissingFolderIsOneSentence() {
    assertOneSentence();
    assertFalse(Files.exists(folder()), "opening creates nothing");
  }

  @Test
  void anEmptyFolderIsOneSentence() throws IOException {
    Files.createDirectories(folder());
    assertOneSentence();
  }

  @Test
  void aDamagedGraphIsOneSentence() throws IOException {
    try (GraphLoader loader = backend().load(folder(), CACHE)) {
      RandomChanges.load(new Mirror(), loader, new Random(1), 50);
    }
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder())) {
      files = all.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) {
      Files.write(file, "this is no database ".repeat(500).getBytes());
    }
    assertOneSentence();
  }

  @Test
  void aGraphInUseIsOneSentence() {
    try (Graph graph = empty()) {
      assertOneSentence();
      try (GraphReader reader = graph.read()) {
        new Mirror().check(graph, reader);
      }
    }
  }

  /** The files as a killed process leaves them. */
  @Test
  void whatIsCommittedSurvivesACrash() throws IOException {
    Mirror mirror = new Mirror();
    try (Graph graph = empty()) {
      Mirror.INDICES.forEach(graph::createIndex);
      Mirror.INDICES.forEach(mirror.memory::createIndex);
      RandomChanges changes = new RandomChanges(mirror, graph, new Random(21));
      try (GraphWriter writer = graph.write()) {
        changes.make(writer, 200);
        writer.commit();
        writer.createNode(NodeKind.ELEMENT, Map.of());
        copy(folder(), temp.resolve("killed"));
      }
    }
    try (Graph graph = backend().open(temp.resolve("killed"), CACHE);
        GraphReader reader = graph.read()) {
      mirror.check(graph, reader);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path file : all.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  @Test
  void closingDoesNotWaitForForgottenReadersForEver() {
    Graph graph = empty();
    GraphReader forgotten = graph.read();
    assertFalse(forgotten.exists(7));
    assertTimeout(Duration.ofSeconds(20), graph::close);
    open().close();
  }

  private void assertOneSentence() {
    GraphException refused = assertThrows(GraphException.class, () -> open().close());
    assertTrue(refused.getMessage().contains(folder().toString()), refused.getMessage());
    assertFalse(refused.getMessage().contains("\n"), refused.getMessage());
    assertFalse(refused.getMessage().contains("Exception"), refused.getMessage());
  }

  @Test
  void nothingIsLeftAfterClosing() throws Exception {
    Graph first = empty();
    first.createIndex("whole", IndexType.WHOLE);
    assertThrows(GraphException.class, this::open, "in use");
    first.close();
    Set<Thread> before = threads();
    for (int i = 0; i < 3; i++) {
      try (Graph graph = open()) {
        assertThrows(GraphException.class, this::open, "in use");
        inThreads(4, () -> hits(graph, "whole", Comparison.EQ, 1));
      }
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    Set<Thread> left = threads();
    left.removeAll(before);
    while (!left.isEmpty() && System.nanoTime() < deadline) {
      Thread.sleep(50);
      left.retainAll(threads());
    }
    assertEquals(Set.of(), left);
    assertEquals(Set.of(), openFiles());
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .collect(Collectors.toSet());
  }

  /** Files below the graph's folder that this process holds open, as Linux tells. */
  private Set<Path> openFiles() throws IOException {
    Path handles = Path.of("/proc/self/fd");
    Set<Path> found = new TreeSet<>();
    if (Files.isDirectory(handles)) {
      Path real = folder().toRealPath();
      try (Stream<Path> all = Files.list(handles)) {
        for (Path handle : all.toList()) {
          if (Files.isSymbolicLink(handle) && Files.readSymbolicLink(handle).startsWith(real)) {
            found.add(Files.readSymbolicLink(handle));
          }
        }
      }
    }
    return found;
  }
}
