package org.modelstress.hawk.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every backend must do. A backend's test extends it and adds only what is its own. */
public abstract class GraphContract extends FolderContract {
  @Test
  void hasANameAndAVersion() {
    assertFalse(backend().name().isBlank());
    assertTrue(backend().version().matches("\\w+ \\d+\\.\\d+\\.\\d+.*"), backend().version());
  }

  @Test
  void anEmptyGraphIsEmpty() {
    try (Graph graph = empty();
        GraphReader reader = graph.read()) {
      new Mirror().check(graph, reader);
      assertEquals(Set.of(), graph.indices());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void randomChangesGiveTheSameGraphAsInMemory(long seed) {
    Mirror mirror = new Mirror();
    try (Graph graph = empty()) {
      Mirror.INDICES.forEach(graph::createIndex);
      Mirror.INDICES.forEach(mirror.memory::createIndex);
      RandomChanges changes = new RandomChanges(mirror, graph, new Random(seed));
      for (int round = 0; round < 6; round++) {
        try (GraphWriter writer = graph.write()) {
          changes.make(writer, 50);
          mirror.check(graph, writer);
          writer.commit();
          changes.make(writer, 10);
          writer.commit();
          mirror.check(graph, writer);
        }
        changes.replaceOneIndex();
        try (GraphReader reader = graph.read()) {
          mirror.check(graph, reader);
        }
      }
    }
    try (Graph graph = open();
        GraphReader reader = graph.read()) {
      mirror.check(graph, reader);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12})
  void whatIsLoadedIsThere(long seed) {
    Mirror mirror = new Mirror();
    List<Double> shares = new ArrayList<>();
    try (GraphLoader loader = backend().load(folder(), CACHE)) {
      RandomChanges.load(mirror, loader, new Random(seed), 400);
      loader.write(shares::add);
    }
    assertEquals(shares.stream().sorted().toList(), shares);
    assertTrue(shares.stream().allMatch(share -> share >= 0 && share <= 1), shares::toString);
    Set<String> texts = new TreeSet<>();
    try (Graph graph = open()) {
      try (GraphReader reader = graph.read()) {
        mirror.check(graph, reader);
        mirror.nodes.values().forEach(node -> texts.add(graph.idText(node)));
        mirror
            .nodes
            .values()
            .forEach(node -> assertEquals(node, graph.parseId(graph.idText(node))));
      }
      assertEquals(mirror.nodes.size(), texts.size());
      Mirror.INDICES.forEach(graph::createIndex);
      Mirror.INDICES.forEach(mirror.memory::createIndex);
      RandomChanges changes = new RandomChanges(mirror, graph, new Random(seed));
      try (GraphWriter writer = graph.write()) {
        changes.make(writer, 400);
        writer.commit();
        mirror.check(graph, writer);
      }
    }
  }

  @Test
  void aTextThatIsNoIdentifierIsRefused() {
    try (Graph graph = empty()) {
      for (String text : List.of("", "x", "#1", "-", "12:")) {
        assertThrows(IllegalArgumentException.class, () -> graph.parseId(text), text);
      }
    }
  }

  @Test
  void anUnknownNodeDoesNotExist() {
    try (Graph graph = empty()) {
      long gone;
      try (GraphWriter writer = graph.write()) {
        gone = writer.createNode(NodeKind.ELEMENT, Map.of());
        writer.commit();
        assertTrue(writer.exists(gone));
        writer.deleteNode(gone);
        assertFalse(writer.exists(gone));
        writer.commit();
      }
      try (GraphReader reader = graph.read()) {
        assertFalse(reader.exists(gone));
        assertFalse(reader.exists(gone + 1000));
        assertFalse(reader.exists(GraphReader.NONE));
      }
    }
  }

  @Test
  void aLookUpInNoIndexIsRefused() {
    try (Graph graph = empty()) {
      graph.createIndex("a", IndexType.WHOLE);
      graph.dropIndex("a");
      try (GraphReader reader = graph.read()) {
        for (String name : List.of("a", "b")) {
          assertThrows(
              IllegalArgumentException.class,
              () -> reader.lookup(name, Comparison.EQ, 1, new LongArrayList()));
        }
      }
    }
  }

  @Test
  void anIndexMadeAnewIsEmpty() {
    try (Graph graph = empty()) {
      graph.createIndex("a", IndexType.WHOLE);
      try (GraphWriter writer = graph.write()) {
        writer.setIndexed("a", writer.createNode(NodeKind.ELEMENT, Map.of()), 1);
        writer.commit();
      }
      assertEquals(1, hits(graph, "a", Comparison.EQ, 1).size());
      graph.dropIndex("a");
      assertEquals(Set.of(), graph.indices());
      graph.createIndex("a", IndexType.WHOLE);
      assertEquals(0, hits(graph, "a", Comparison.EQ, 1).size());
    }
  }

  @Test
  void longTextsAreFoundByAllOfTheirCharacters() {
    String start = "x".repeat(9000);
    List<String> texts = List.of("x", start, start + "a", start + "b", start + "ba", "y");
    try (Graph graph = empty()) {
      graph.createIndex("long: text", IndexType.TEXT);
      List<Long> nodes = new ArrayList<>();
      try (GraphWriter writer = graph.write()) {
        for (String text : texts) {
          nodes.add(writer.createNode(NodeKind.ELEMENT, Map.of("text", text)));
          writer.setIndexed("long: text", nodes.get(nodes.size() - 1), text);
        }
        writer.commit();
      }
      for (String probe : texts) {
        for (Comparison comparison : Comparison.values()) {
          Set<Long> wanted = new TreeSet<>();
          for (int i = 0; i < texts.size(); i++) {
            int order = texts.get(i).compareTo(probe);
            if (switch (comparison) {
              case EQ -> order == 0;
              case LT -> order < 0;
              case LE -> order <= 0;
              case GT -> order > 0;
              case GE -> order >= 0;
            }) {
              wanted.add(nodes.get(i));
            }
          }
          assertEquals(wanted, hits(graph, "long: text", comparison, probe));
        }
      }
    }
  }

  @Test
  void aWriterClosedUndoesWhatWasNotCommitted() {
    try (Graph graph = empty()) {
      graph.createIndex("whole", IndexType.WHOLE);
      int next = graph.label("r:next");
      int name = graph.key("name");
      long kept;
      long undone;
      try (GraphWriter writer = graph.write()) {
        kept = writer.createNode(NodeKind.ELEMENT, Map.of("name", "kept"));
        writer.setIndexed("whole", kept, 1);
        writer.commit();
        undone = writer.createNode(NodeKind.ELEMENT, Map.of());
        writer.createEdge(kept, next, undone);
        writer.setProperty(kept, name, "changed");
        writer.setIndexed("whole", kept, 2);
        assertEquals("changed", writer.property(kept, name));
        assertEquals(undone, writer.target(kept, next));
      }
      try (GraphReader reader = graph.read()) {
        assertEquals("kept", reader.property(kept, name));
        assertEquals(GraphReader.NONE, reader.target(kept, next));
        LongArrayList elements = new LongArrayList();
        reader.nodes(NodeKind.ELEMENT, elements);
        assertEquals(LongArrayList.newListWith(kept), elements);
      }
      assertEquals(Set.of(kept), hits(graph, "whole", Comparison.EQ, 1));
      assertEquals(Set.of(), hits(graph, "whole", Comparison.EQ, 2));
    }
  }

  @Test
  void closingAReaderTwiceHarmsNobody() {
    try (Graph graph = empty()) {
      GraphReader first = graph.read();
      first.close();
      try (GraphWriter writer = graph.write()) {
        long node = writer.createNode(NodeKind.ELEMENT, Map.of());
        first.close();
        assertTrue(writer.exists(node));
        writer.commit();
        assertTrue(writer.exists(node));
      }
    }
  }

  @Test
  void whatIsNotCommittedIsNotSeenByOthers() throws Exception {
    try (Graph graph = empty();
        GraphWriter writer = graph.write()) {
      int key = graph.key("name");
      long node = writer.createNode(NodeKind.ELEMENT, Map.of("name", "first"));
      writer.commit();
      writer.setProperty(node, key, "second");
      assertEquals("first", elsewhere(() -> readOne(graph, node, key)));
      writer.commit();
      assertEquals("second", elsewhere(() -> readOne(graph, node, key)));
      writer.setProperty(node, key, null);
      writer.commit();
      assertNull(elsewhere(() -> readOne(graph, node, key)));
    }
  }

  private static Object readOne(Graph graph, long node, int key) {
    try (GraphReader reader = graph.read()) {
      return reader.property(node, key);
    }
  }

  private static <T> T elsewhere(Callable<T> action) throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      return other.submit(action).get(60, TimeUnit.SECONDS);
    } finally {
      other.shutdownNow();
    }
  }

  @Test
  void writersComeOneAfterTheOther() throws Exception {
    try (Graph graph = empty()) {
      int count = graph.key("count");
      long node;
      try (GraphWriter writer = graph.write()) {
        node = writer.createNode(NodeKind.ELEMENT, Map.of("count", 0));
        writer.commit();
      }
      inThreads(
          4,
          () -> {
            for (int i = 0; i < 25; i++) {
              try (GraphWriter writer = graph.write()) {
                writer.setProperty(node, count, (Integer) writer.property(node, count) + 1);
                writer.commit();
              }
            }
          });
      assertEquals(100, readOne(graph, node, count));
    }
  }

  @Test
  void sixteenThreadsReadTheSame() throws Exception {
    Mirror mirror = new Mirror();
    try (GraphLoader loader = backend().load(folder(), CACHE)) {
      RandomChanges.load(mirror, loader, new Random(7), 100);
    }
    try (Graph graph = open()) {
      Mirror.INDICES.forEach(graph::createIndex);
      Mirror.INDICES.forEach(mirror.memory::createIndex);
      RandomChanges changes = new RandomChanges(mirror, graph, new Random(7));
      try (GraphWriter writer = graph.write()) {
        changes.make(writer, 200);
        writer.commit();
      }
      inThreads(
          16,
          () -> {
            for (int i = 0; i < 5; i++) {
              try (GraphReader reader = graph.read()) {
                mirror.check(graph, reader);
              }
            }
          });
    }
  }

  @Test
  void twoReadersOfOneThreadDoNotDisturbEachOther() {
    try (Graph graph = empty()) {
      int name = graph.key("name");
      long node;
      try (GraphWriter writer = graph.write()) {
        node = writer.createNode(NodeKind.FILE, Map.of("name", "a"));
        writer.commit();
      }
      try (GraphReader outer = graph.read()) {
        assertEquals("a", outer.property(node, name));
        try (GraphReader inner = graph.read()) {
          assertEquals("a", inner.property(node, name));
        }
        assertEquals("a", outer.property(node, name));
        assertEquals(NodeKind.FILE, outer.kind(node));
      }
    }
  }
}
