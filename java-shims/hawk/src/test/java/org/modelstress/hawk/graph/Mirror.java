package org.modelstress.hawk.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.MemoryGraph;

/**
 * The same graph in memory, with the node of the database for each of its nodes, to compare
 * everything that can be read.
 */
final class Mirror {
  static final List<String> LABELS = List.of("ofType", "r:next", "c:parts");
  static final List<String> KEYS = List.of("id", "name", "active", "weight", "list");
  static final Map<String, IndexType> INDICES =
      new TreeMap<>(
          Map.of(
              "truth", IndexType.TRUTH,
              "whole", IndexType.WHOLE,
              "real", IndexType.REAL,
              "text", IndexType.TEXT));

  /** Values to look up in every index, of its type or not. */
  static final List<Object> PROBES =
      List.of(
          true,
          false,
          0,
          -3,
          2,
          2L,
          5,
          5_000_000_000L,
          -7.5,
          2.0,
          2.5,
          1e300,
          "",
          "b",
          "ba",
          "ä",
          "\uD83D\uDE00",
          "\uFFEE");

  final MemoryGraph memory = new MemoryGraph();
  final GraphWriter changes = memory.write();

  /** Node in the database of each live node in memory. */
  final Map<Long, Long> nodes = new TreeMap<>();

  /** The node in memory of a node in the database. */
  private final Map<Long, Long> back = new TreeMap<>();

  Mirror() {
    LABELS.forEach(memory::label);
    KEYS.forEach(memory::key);
  }

  void created(long here, long there) {
    nodes.put(here, there);
    back.put(there, here);
  }

  void deleted(long here) {
    back.remove(nodes.remove(here));
  }

  /** Compares everything that can be read. */
  void check(Graph graph, GraphReader reader) {
    try (GraphReader expected = memory.read()) {
      nodes.forEach((here, there) -> checkNode(graph, expected, reader, here, there));
      for (NodeKind kind : NodeKind.values()) {
        LongArrayList found = new LongArrayList();
        reader.nodes(kind, found);
        LongArrayList wanted = new LongArrayList();
        expected.nodes(kind, wanted);
        assertEquals(sorted(wanted), translated(found), "nodes of kind " + kind);
      }
      assertEquals(memory.indices(), graph.indices());
      for (String index : memory.indices()) {
        checkIndex(expected, reader, index);
      }
    }
  }

  private void checkIndex(GraphReader expected, GraphReader reader, String index) {
    for (Comparison comparison : Comparison.values()) {
      for (Object probe : PROBES) {
        LongArrayList found = new LongArrayList();
        reader.lookup(index, comparison, probe, found);
        LongArrayList wanted = new LongArrayList();
        expected.lookup(index, comparison, probe, wanted);
        assertEquals(
            sorted(wanted), translated(found), () -> index + " " + comparison + " " + probe);
      }
    }
  }

  private void checkNode(
      Graph graph, GraphReader expected, GraphReader reader, long here, long there) {
    assertTrue(reader.exists(there), () -> "node " + there);
    assertEquals(expected.kind(here), reader.kind(there));
    assertEquals(comparable(expected.properties(here)), comparable(reader.properties(there)));
    for (String key : KEYS) {
      assertEquals(
          comparable(expected.property(here, memory.key(key))),
          comparable(reader.property(there, graph.key(key))),
          key);
    }
    for (String label : LABELS) {
      int mine = memory.label(label);
      int its = graph.label(label);
      LongArrayList wanted = new LongArrayList();
      LongArrayList found = new LongArrayList();
      expected.targets(here, mine, wanted);
      reader.targets(there, its, found);
      checkEnds(wanted, found, reader.target(there, its), reader.outDegree(there, its));
      wanted.clear();
      found.clear();
      expected.sources(here, mine, wanted);
      reader.sources(there, its, found);
      checkEnds(wanted, found, reader.source(there, its), reader.inDegree(there, its));
    }
  }

  private void checkEnds(LongArrayList wanted, LongArrayList found, long one, int degree) {
    assertEquals(sorted(wanted), translated(found));
    assertEquals(wanted.size(), degree);
    assertTrue(wanted.isEmpty() ? one == GraphReader.NONE : wanted.contains(back.get(one)));
  }

  private List<Long> translated(LongArrayList found) {
    List<Long> translated = new ArrayList<>();
    found.forEach(node -> translated.add(back.getOrDefault(node, -node - 1_000_000)));
    translated.sort(null);
    return translated;
  }

  private static List<Long> sorted(LongArrayList list) {
    List<Long> sorted = new ArrayList<>();
    list.forEach(sorted::add);
    sorted.sort(null);
    return sorted;
  }

  /** A value with its type, since 1 is not 1L and arrays do not compare. */
  static String comparable(Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<String, String> sorted = new TreeMap<>();
      map.forEach((key, v) -> sorted.put((String) key, comparable(v)));
      return sorted.toString();
    }
    if (value == null) {
      return "absent";
    }
    String text =
        value.getClass().isArray() ? Arrays.deepToString(new Object[] {value}) : value.toString();
    return value.getClass().getSimpleName() + " " + text;
  }
}
