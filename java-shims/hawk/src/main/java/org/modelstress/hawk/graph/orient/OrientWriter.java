package org.modelstress.hawk.graph.orient;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.graph.Comparison;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.GraphWriter;
import org.modelstress.hawk.graph.NodeKind;

/** Collects changes in memory and makes them at once; what it touched it reads from there. */
final class OrientWriter implements GraphWriter {
  private final OrientGraph graph;
  private final OrientReader stored;
  private WriteSet changes;
  private boolean open = true;

  OrientWriter(OrientGraph graph) {
    this.graph = graph;
    this.stored = new OrientReader(graph);
    this.changes = new WriteSet(graph);
  }

  /** The node as the transaction sees it; null if it is only in the database. */
  private MutableNode touched(long node) {
    MutableNode touched = changes.touched(node);
    if (touched != null && touched.deleted) {
      throw missing(node);
    }
    return touched;
  }

  private MutableNode touch(long node) {
    MutableNode touched = changes.touch(node);
    if (touched == null) {
      throw missing(node);
    }
    return touched;
  }

  private GraphException missing(long node) {
    return new GraphException("There is no node " + graph.idText(node) + " in the graph.", null);
  }

  @Override
  public boolean exists(long node) {
    MutableNode touched = changes.touched(node);
    return touched == null ? stored.exists(node) : !touched.deleted;
  }

  @Override
  public NodeKind kind(long node) {
    return stored.kind(node);
  }

  @Override
  public Object property(long node, int key) {
    MutableNode touched = touched(node);
    return touched == null ? stored.property(node, key) : touched.properties.get(key);
  }

  @Override
  public Map<String, Object> properties(long node) {
    MutableNode touched = touched(node);
    if (touched == null) {
      return stored.properties(node);
    }
    Map<String, Object> properties = new HashMap<>();
    touched.properties.forEachKeyValue(
        (key, value) -> properties.put(graph.tokens().name(key), value));
    return properties;
  }

  @Override
  public long target(long node, int label) {
    MutableNode touched = touched(node);
    return touched == null ? stored.target(node, label) : one(touched.list(label, true));
  }

  @Override
  public long source(long node, int label) {
    MutableNode touched = touched(node);
    return touched == null ? stored.source(node, label) : one(touched.list(label, false));
  }

  private static long one(EdgeList list) {
    return list == null ? GraphReader.NONE : list.one();
  }

  @Override
  public void targets(long node, int label, LongArrayList into) {
    MutableNode touched = touched(node);
    if (touched == null) {
      stored.targets(node, label, into);
    } else {
      all(touched.list(label, true), into);
    }
  }

  @Override
  public void sources(long node, int label, LongArrayList into) {
    MutableNode touched = touched(node);
    if (touched == null) {
      stored.sources(node, label, into);
    } else {
      all(touched.list(label, false), into);
    }
  }

  private static void all(EdgeList list, LongArrayList into) {
    if (list != null) {
      list.all(into);
    }
  }

  @Override
  public int outDegree(long node, int label) {
    MutableNode touched = touched(node);
    return touched == null ? stored.outDegree(node, label) : size(touched.list(label, true));
  }

  @Override
  public int inDegree(long node, int label) {
    MutableNode touched = touched(node);
    return touched == null ? stored.inDegree(node, label) : size(touched.list(label, false));
  }

  private static int size(EdgeList list) {
    return list == null ? 0 : list.size();
  }

  @Override
  public void nodes(NodeKind kind, LongArrayList into) {
    LongArrayList found = new LongArrayList();
    stored.nodes(kind, found);
    found.removeIf(node -> changes.touched(node) != null);
    into.addAll(found);
    for (MutableNode node : changes.nodes()) {
      if (!node.deleted && NodeIds.kind(node.id) == kind) {
        into.add(node.id);
      }
    }
  }

  @Override
  public void lookup(String index, Comparison comparison, Object value, LongArrayList into) {
    OrientIndex its = graph.index(index);
    KeyRange range = KeyRange.of(its.type(), comparison, value);
    if (range != null) {
      LongArrayList found = new LongArrayList();
      stored.lookup(index, comparison, value, found);
      changes.correct(its, range, found);
      into.addAll(found);
    }
  }

  @Override
  public long createNode(NodeKind kind, Map<String, Object> properties) {
    MutableNode node;
    try {
      node = changes.create(kind);
    } catch (IOException | RuntimeException e) {
      throw graph.failed("create a node of", e);
    }
    properties.forEach((name, value) -> set(node, graph.key(name), value));
    return node.id;
  }

  @Override
  public void setProperty(long node, int key, Object value) {
    set(touch(node), key, value);
  }

  private static void set(MutableNode node, int key, Object value) {
    if (value == null) {
      node.properties.remove(key);
    } else {
      PropertyCodec.check(value);
      node.properties.put(key, value);
    }
  }

  @Override
  public void createEdge(long from, int label, long to) {
    MutableNode source = touch(from);
    touch(to).need(label, false).add(from);
    source.need(label, true).add(to);
  }

  @Override
  public boolean deleteEdge(long from, int label, long to) {
    MutableNode source = touch(from);
    MutableNode target = touch(to);
    return source.need(label, true).remove(to) && target.need(label, false).remove(from);
  }

  @Override
  public void deleteNode(long node) {
    changes.delete(touch(node));
  }

  @Override
  public void setIndexed(String index, long node, Object value) {
    OrientIndex its = graph.index(index);
    Object key = value == null ? null : KeyRange.key(its.type(), value);
    changes.index(its, touch(node), key);
  }

  @Override
  public void commit() {
    if (!changes.isEmpty()) {
      graph.commit(changes);
      changes = new WriteSet(graph);
    }
  }

  @Override
  public void close() {
    if (open) {
      open = false;
      graph.end();
    }
  }
}
