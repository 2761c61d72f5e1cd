package org.modelstress.hawk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.DoubleConsumer;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.graph.Comparison;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphLoader;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.GraphWriter;
import org.modelstress.hawk.graph.IndexType;
import org.modelstress.hawk.graph.NodeKind;

/**
 * The graph's contract in the plainest way, against which the databases are compared. One thread;
 * changes are not undone by closing a writer.
 */
public final class MemoryGraph implements Graph, GraphLoader {
  private static final class Node {
    NodeKind kind;
    final Map<String, Object> properties = new LinkedHashMap<>();
    final Map<Integer, LongArrayList> out = new HashMap<>();
    final Map<Integer, LongArrayList> in = new HashMap<>();
  }

  private final TreeMap<Long, Node> nodes = new TreeMap<>();
  private final List<String> tokens = new ArrayList<>();
  private final Map<String, Map<Long, Object>> indices = new LinkedHashMap<>();
  private long next;

  @Override
  public String idText(long node) {
    return "m" + node;
  }

  @Override
  public long parseId(String text) {
    if (!text.matches("m\\d+")) {
      throw new IllegalArgumentException("not an identifier: " + text);
    }
    return Long.parseLong(text.substring(1));
  }

  @Override
  public int label(String name) {
    if (!tokens.contains(name)) {
      tokens.add(name);
    }
    return tokens.indexOf(name);
  }

  @Override
  public int key(String name) {
    return label(name);
  }

  @Override
  public void createIndex(String name, IndexType type) {
    indices.put(name, new LinkedHashMap<>());
  }

  @Override
  public void dropIndex(String name) {
    indices.remove(name);
  }

  @Override
  public Set<String> indices() {
    return Set.copyOf(indices.keySet());
  }

  @Override
  public long createNode(NodeKind kind, Map<String, Object> properties) {
    Node node = new Node();
    node.kind = kind;
    node.properties.putAll(properties);
    nodes.put(next, node);
    return next++;
  }

  @Override
  public void createEdge(long from, int label, long to) {
    nodes.get(from).out.computeIfAbsent(label, l -> new LongArrayList()).add(to);
    nodes.get(to).in.computeIfAbsent(label, l -> new LongArrayList()).add(from);
  }

  @Override
  public GraphReader read() {
    return new Transaction();
  }

  @Override
  public GraphWriter write() {
    return new Transaction();
  }

  @Override
  public void write(DoubleConsumer progress) {}

  @Override
  public void close() {}

  private final class Transaction implements GraphWriter {
    @Override
    public boolean exists(long node) {
      return nodes.containsKey(node);
    }

    @Override
    public NodeKind kind(long node) {
      return nodes.get(node).kind;
    }

    @Override
    public Object property(long node, int key) {
      return nodes.get(node).properties.get(tokens.get(key));
    }

    @Override
    public Map<String, Object> properties(long node) {
      return new HashMap<>(nodes.get(node).properties);
    }

    @Override
    public long target(long node, int label) {
      LongArrayList found = nodes.get(node).out.get(label);
      return found == null || found.isEmpty() ? NONE : found.getFirst();
    }

    @Override
    public long source(long node, int label) {
      LongArrayList found = nodes.get(node).in.get(label);
      return found == null || found.isEmpty() ? NONE : found.getFirst();
    }

    @Override
    public void targets(long node, int label, LongArrayList into) {
      into.addAll(nodes.get(node).out.getOrDefault(label, new LongArrayList()));
    }

    @Override
    public void sources(long node, int label, LongArrayList into) {
      into.addAll(nodes.get(node).in.getOrDefault(label, new LongArrayList()));
    }

    @Override
    public int outDegree(long node, int label) {
      return nodes.get(node).out.getOrDefault(label, new LongArrayList()).size();
    }

    @Override
    public int inDegree(long node, int label) {
      return nodes.get(node).in.getOrDefault(label, new LongArrayList()).size();
    }

    @Override
    public void nodes(NodeKind kind, LongArrayList into) {
      nodes.forEach(
          (id, node) -> {
            if (node.kind == kind) {
              into.add(id);
            }
          });
    }

    @Override
    public void lookup(String index, Comparison comparison, Object value, LongArrayList into) {
      if (!indices.containsKey(index)) {
        throw new IllegalArgumentException("no index " + index);
      }
      indices
          .get(index)
          .forEach(
              (node, entry) -> {
                if (holds(entry, comparison, value)) {
                  into.add(node);
                }
              });
    }

    @Override
    public long createNode(NodeKind kind, Map<String, Object> properties) {
      return MemoryGraph.this.createNode(kind, properties);
    }

    @Override
    public void setProperty(long node, int key, Object value) {
      if (value == null) {
        nodes.get(node).properties.remove(tokens.get(key));
      } else {
        nodes.get(node).properties.put(tokens.get(key), value);
      }
    }

    @Override
    public void createEdge(long from, int label, long to) {
      MemoryGraph.this.createEdge(from, label, to);
    }

    @Override
    public boolean deleteEdge(long from, int label, long to) {
      LongArrayList out = nodes.get(from).out.get(label);
      return out != null && out.remove(to) && nodes.get(to).in.get(label).remove(from);
    }

    @Override
    public void deleteNode(long node) {
      Node gone = nodes.remove(node);
      gone.out.forEach(
          (label, targets) -> targets.forEach(t -> drop(nodes.get(t), node, label, false)));
      gone.in.forEach(
          (label, sources) -> sources.forEach(s -> drop(nodes.get(s), node, label, true)));
      indices.values().forEach(index -> index.remove(node));
    }

    private void drop(Node other, long node, int label, boolean out) {
      if (other != null) {
        (out ? other.out : other.in).get(label).remove(node);
      }
    }

    @Override
    public void setIndexed(String index, long node, Object value) {
      if (value == null) {
        indices.get(index).remove(node);
      } else {
        indices.get(index).put(node, value);
      }
    }

    @Override
    public void commit() {}

    @Override
    public void close() {}
  }

  private static boolean holds(Object entry, Comparison comparison, Object value) {
    int order;
    if (entry instanceof Number a && value instanceof Number b) {
      boolean whole = !(a instanceof Double) && !(b instanceof Double);
      order =
          whole
              ? Long.compare(a.longValue(), b.longValue())
              : Double.compare(a.doubleValue(), b.doubleValue());
    } else if (entry instanceof String a && value instanceof String b) {
      order = a.compareTo(b);
    } else {
      return comparison == Comparison.EQ && entry.equals(value);
    }
    return switch (comparison) {
      case EQ -> order == 0;
      case LT -> order < 0;
      case LE -> order <= 0;
      case GT -> order > 0;
      case GE -> order >= 0;
    };
  }
}
