package org.modelstress.hawk.graph.orient;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.map.mutable.primitive.LongObjectHashMap;
import org.eclipse.collections.impl.set.mutable.primitive.LongHashSet;
import org.modelstress.hawk.graph.NodeKind;

/** The nodes that a transaction created, changed and deleted, and what that means for indices. */
final class WriteSet {
  private static final byte[] EMPTY_RECORD = {0, 0};

  /** Changes of one index: nodes whose stored entry does not count, and entries instead. */
  private static final class IndexChanges {
    final LongHashSet nodes = new LongHashSet();
    final NavigableMap<Object, LongHashSet> added = new TreeMap<>();
  }

  private final OrientGraph graph;
  private final LongObjectHashMap<MutableNode> nodes = new LongObjectHashMap<>();
  private final List<MutableNode> created = new ArrayList<>();
  private final Map<NodeKind, Long> next = new EnumMap<>(NodeKind.class);
  private final Map<Integer, IndexChanges> indices = new HashMap<>();

  WriteSet(OrientGraph graph) {
    this.graph = graph;
  }

  boolean isEmpty() {
    return nodes.isEmpty();
  }

  Collection<MutableNode> nodes() {
    return nodes.values();
  }

  /** A new node; its record will be the next of its cluster. */
  MutableNode create(NodeKind kind) throws IOException {
    Long position = next.get(kind);
    if (position == null) {
      position = graph.store().next(kind);
    }
    next.put(kind, position + 1);
    MutableNode node = new MutableNode(NodeIds.of(kind, position), graph::chunk);
    nodes.put(node.id, node);
    created.add(node);
    return node;
  }

  /** A node that the transaction touched, or null. */
  MutableNode touched(long node) {
    return nodes.get(node);
  }

  /** A node to be changed, or null if there is none. */
  MutableNode touch(long node) {
    MutableNode known = nodes.get(node);
    if (known != null) {
      return known.deleted ? null : known;
    }
    byte[] record = graph.record(node);
    if (record == null) {
      return null;
    }
    MutableNode read = new MutableNode(node, record, graph::chunk);
    nodes.put(node, read);
    return read;
  }

  /** Sets the entry of an index, or removes it when it is null. */
  void index(OrientIndex index, MutableNode node, Object key) {
    IndexChanges changes = indices.computeIfAbsent(index.number(), n -> new IndexChanges());
    Object old = node.entries.get(index.number());
    if (old != null && changes.nodes.contains(node.id)) {
      changes.added.get(old).remove(node.id);
    }
    changes.nodes.add(node.id);
    if (key == null) {
      node.entries.remove(index.number());
    } else {
      node.entries.put(index.number(), key);
      changes.added.computeIfAbsent(key, k -> new LongHashSet()).add(node.id);
    }
  }

  /** Replaces what a look-up in the database found by what holds in this transaction. */
  void correct(OrientIndex index, KeyRange range, LongArrayList found) {
    IndexChanges changes = indices.get(index.number());
    if (changes == null) {
      return;
    }
    found.removeIf(changes.nodes::contains);
    NavigableMap<Object, LongHashSet> hits = changes.added;
    if (range.from() != null) {
      hits = hits.tailMap(range.from(), range.fromInclusive());
    }
    if (range.to() != null) {
      hits = hits.headMap(range.to(), range.toInclusive());
    }
    hits.values().forEach(found::addAll);
  }

  /** Deletes a node with its edges and index entries. */
  void delete(MutableNode node) {
    node.eachList(
        (label, out, list) -> {
          LongArrayList others = new LongArrayList();
          list.all(others);
          others.forEach(
              other -> {
                if (other != node.id) {
                  touch(other).need(label, !out).remove(node.id);
                }
              });
          list.clear();
        });
    for (OrientIndex index : graph.allIndices()) {
      if (node.entries.containsKey(index.number())) {
        index(index, node, null);
      }
    }
    node.properties.clear();
    node.entries.clear();
    node.deleted = true;
  }

  /** Writes everything. */
  void apply(OrientStore.Change change, Collection<OrientIndex> all) {
    for (MutableNode node : created) {
      // a node that is gone again has taken its place all the same
      change.createNode(node.id, node.deleted ? EMPTY_RECORD : node.write(change));
      if (node.deleted) {
        change.deleteNode(node.id);
      }
    }
    for (MutableNode node : nodes) {
      if (node.stored) {
        byte[] record = node.write(change);
        if (node.deleted) {
          change.deleteNode(node.id);
        } else {
          change.updateNode(node.id, record);
        }
      }
    }
    for (OrientIndex index : all) {
      IndexChanges changes = indices.get(index.number());
      if (changes != null) {
        changes.nodes.forEach(node -> apply(change, index, nodes.get(node)));
      }
    }
  }

  private static void apply(OrientStore.Change change, OrientIndex index, MutableNode node) {
    Object before = node.storedEntries.get(index.number());
    Object after = node.entries.get(index.number());
    if (!Objects.equals(before, after)) {
      if (before != null) {
        index.remove(change, before, node.id);
      }
      if (after != null) {
        index.put(change, after, node.id);
      }
    }
  }
}
