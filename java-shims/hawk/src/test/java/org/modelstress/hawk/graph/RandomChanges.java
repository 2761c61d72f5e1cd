package org.modelstress.hawk.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Makes the same random changes in a database and in memory. */
final class RandomChanges {
  private static final String LETTERS = "abäß\uD83D\uDE00\uFFEE'\"$ ";

  private final Mirror mirror;
  private final Graph graph;
  private final Random random;

  RandomChanges(Mirror mirror, Graph graph, Random random) {
    this.mirror = mirror;
    this.graph = graph;
    this.random = random;
  }

  /** Loads nodes and about three edges for each, one node with an edge from every other. */
  static void load(Mirror mirror, GraphLoader loader, Random random, int nodes) {
    RandomChanges source = new RandomChanges(mirror, null, random);
    List<Long> here = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      NodeKind kind = source.one(List.of(NodeKind.values()));
      Map<String, Object> properties = source.properties();
      here.add(mirror.changes.createNode(kind, properties));
      mirror.created(here.get(i), loader.createNode(kind, properties));
    }
    for (int i = 0; i < nodes; i++) {
      source.loadEdge(loader, here.get(i), "ofType", here.get(0));
      for (int edges = random.nextInt(6); edges > 0; edges--) {
        source.loadEdge(loader, here.get(i), source.one(Mirror.LABELS), source.one(here));
      }
    }
  }

  private void loadEdge(GraphLoader loader, long from, String label, long to) {
    mirror.changes.createEdge(from, mirror.memory.label(label), to);
    loader.createEdge(mirror.nodes.get(from), loader.label(label), mirror.nodes.get(to));
  }

  /** Makes a number of changes in the open transaction. */
  void make(GraphWriter writer, int steps) {
    for (int i = 0; i < steps; i++) {
      int draw = mirror.nodes.size() < 5 ? 0 : random.nextInt(100);
      if (draw < 20) {
        create(writer);
      } else if (draw < 50) {
        createEdge(writer, live(), one(Mirror.LABELS), live());
      } else if (draw < 65) {
        deleteEdge(writer);
      } else if (draw < 80) {
        setProperty(writer);
      } else if (draw < 94) {
        setIndexed(writer);
      } else {
        long gone = live();
        writer.deleteNode(mirror.nodes.get(gone));
        mirror.changes.deleteNode(gone);
        mirror.deleted(gone);
      }
    }
  }

  /** Drops an index and creates it, empty, outside of transactions. */
  void replaceOneIndex() {
    String index = one(List.copyOf(Mirror.INDICES.keySet()));
    graph.dropIndex(index);
    mirror.memory.dropIndex(index);
    graph.createIndex(index, Mirror.INDICES.get(index));
    mirror.memory.createIndex(index, Mirror.INDICES.get(index));
  }

  private void create(GraphWriter writer) {
    NodeKind kind = one(List.of(NodeKind.values()));
    Map<String, Object> properties = properties();
    long here = mirror.changes.createNode(kind, properties);
    mirror.created(here, writer.createNode(kind, properties));
  }

  private void createEdge(GraphWriter writer, long from, String label, long to) {
    mirror.changes.createEdge(from, mirror.memory.label(label), to);
    writer.createEdge(mirror.nodes.get(from), graph.label(label), mirror.nodes.get(to));
  }

  private void deleteEdge(GraphWriter writer) {
    String label = one(Mirror.LABELS);
    long from = live();
    long to = mirror.changes.target(from, mirror.memory.label(label));
    if (to == GraphReader.NONE || random.nextInt(4) == 0) {
      to = live();
    }
    assertEquals(
        mirror.changes.deleteEdge(from, mirror.memory.label(label), to),
        writer.deleteEdge(mirror.nodes.get(from), graph.label(label), mirror.nodes.get(to)));
  }

  private void setProperty(GraphWriter writer) {
    String key = one(Mirror.KEYS);
    long node = live();
    Object value = random.nextInt(4) == 0 ? null : value();
    writer.setProperty(mirror.nodes.get(node), graph.key(key), value);
    mirror.changes.setProperty(node, mirror.memory.key(key), value);
  }

  private void setIndexed(GraphWriter writer) {
    String index = one(List.copyOf(Mirror.INDICES.keySet()));
    long node = live();
    Object value = random.nextInt(6) == 0 ? null : entry(Mirror.INDICES.get(index));
    writer.setIndexed(index, mirror.nodes.get(node), value);
    mirror.changes.setIndexed(index, node, value);
  }

  private long live() {
    return one(List.copyOf(mirror.nodes.keySet()));
  }

  private Map<String, Object> properties() {
    Map<String, Object> properties = new HashMap<>();
    for (String key : Mirror.KEYS) {
      if (random.nextInt(3) == 0) {
        properties.put(key, value());
      }
    }
    return properties;
  }

  private Object entry(IndexType type) {
    return switch (type) {
      case TRUTH -> random.nextBoolean();
      case WHOLE ->
          random.nextInt(4) == 0 ? (Object) 5_000_000_000L : (Object) (random.nextInt(12) - 5);
      case REAL -> (random.nextInt(40) - 20) * 0.5;
      case TEXT -> text(3);
    };
  }

  private Object value() {
    return switch (random.nextInt(12)) {
      case 0 -> random.nextBoolean();
      case 1 -> random.nextInt();
      case 2 -> random.nextLong();
      case 3 -> random.nextDouble() * 1e6;
      case 4 -> text(8);
      case 5 -> text(5000);
      case 6 -> new boolean[] {random.nextBoolean(), true};
      case 7 -> random.ints(random.nextInt(20)).toArray();
      case 8 -> random.longs(random.nextInt(3)).toArray();
      case 9 -> random.doubles(random.nextInt(3)).toArray();
      case 10 -> new String[] {text(3), text(30), ""};
      default -> random.nextInt(100);
    };
  }

  private String text(int most) {
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(most + 1); length > 0; length--) {
      int at = LETTERS.offsetByCodePoints(0, random.nextInt(LETTERS.codePointCount(0, 11)));
      text.appendCodePoint(LETTERS.codePointAt(at));
    }
    return text.toString();
  }

  private <T> T one(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
