package org.modelstress.hawk.graph.neo4j;

import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.graph.Comparison;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.hawk.graph.neo4j.Neo4jGraph.Index;
import org.neo4j.exceptions.KernelException;
import org.neo4j.internal.kernel.api.CursorFactory;
import org.neo4j.internal.kernel.api.IndexQueryConstraints;
import org.neo4j.internal.kernel.api.NodeCursor;
import org.neo4j.internal.kernel.api.NodeLabelIndexCursor;
import org.neo4j.internal.kernel.api.NodeValueIndexCursor;
import org.neo4j.internal.kernel.api.PropertyCursor;
import org.neo4j.internal.kernel.api.PropertyIndexQuery;
import org.neo4j.internal.kernel.api.Read;
import org.neo4j.internal.kernel.api.RelationshipTraversalCursor;
import org.neo4j.internal.kernel.api.TokenPredicate;
import org.neo4j.kernel.api.KernelTransaction;
import org.neo4j.storageengine.api.PropertySelection;
import org.neo4j.storageengine.api.RelationshipSelection;
import org.neo4j.values.storable.Value;

/** Reads through the kernel's cursors, which are allocated once. */
class Neo4jReader implements GraphReader {
  final Neo4jGraph graph;
  private final Selections selections;
  KernelTransaction transaction;
  private Read read;
  private NodeCursor node;
  private PropertyCursor property;
  private RelationshipTraversalCursor edges;
  private boolean active;

  Neo4jReader(Neo4jGraph graph) {
    this.graph = graph;
    this.selections = graph.selections();
    begin();
  }

  final void begin() {
    transaction = graph.begin();
    read = transaction.dataRead();
    CursorFactory cursors = transaction.cursors();
    node = cursors.allocateNodeCursor(transaction.cursorContext(), transaction.memoryTracker());
    property =
        cursors.allocatePropertyCursor(transaction.cursorContext(), transaction.memoryTracker());
    edges =
        cursors.allocateRelationshipTraversalCursor(
            transaction.cursorContext(), transaction.memoryTracker());
    active = true;
  }

  /**
   * Closes the cursors, which end before their transaction.
   *
   * @return whether the transaction may be ended: once only, since Neo4j uses its object again for
   *     another thread's
   */
  final boolean finish() {
    if (!active) {
      return false;
    }
    active = false;
    node.close();
    property.close();
    edges.close();
    return true;
  }

  @Override
  public final boolean exists(long id) {
    try {
      return id >= 0 && read.nodeExists(id);
    } catch (RuntimeException e) {
      throw graph.failure(e);
    }
  }

  @Override
  public final NodeKind kind(long id) {
    try {
      if (at(id)) {
        for (NodeKind kind : NodeKind.values()) {
          if (node.hasLabel(graph.kindLabel(kind))) {
            return kind;
          }
        }
      }
    } catch (RuntimeException e) {
      throw graph.failure(e);
    }
    throw new GraphException("there is no node " + id, null);
  }

  /** Points the node cursor at a node. */
  private boolean at(long id) {
    read.singleNode(id, node);
    return node.next();
  }

  @Override
  public final Object property(long id, int key) {
    try {
      if (!at(id)) {
        return null;
      }
      node.properties(property, selections.property(key));
      return property.next() ? property.propertyValue().asObject() : null;
    } catch (RuntimeException e) {
      throw graph.failure(e);
    }
  }

  @Override
  public final Map<String, Object> properties(long id) {
    Map<String, Object> found = new LinkedHashMap<>();
    try {
      if (at(id)) {
        node.properties(property, PropertySelection.ALL_PROPERTIES);
        while (property.next()) {
          String name = graph.keyName(property.propertyKey());
          if (!Names.isInternal(name)) {
            found.put(name, property.propertyValue().asObject());
          }
        }
      }
    } catch (RuntimeException e) {
      throw graph.failure(e);
    }
    return found;
  }

  /** Points the edge cursor before the chosen edges of a node. */
  private boolean atEdges(long id, RelationshipSelection selection) {
    if (!at(id)) {
      return false;
    }
    node.relationships(edges, selection);
    return true;
  }

  @Override
  public final long target(long id, int label) {
    return otherEnd(id, selections.out(label));
  }

  @Override
  public final long source(long id, int label) {
    return otherEnd(id, selections.in(label));
  }

  private long otherEnd(long id, RelationshipSelection selection) {
    try {
      return atEdges(id, selection) && edges.next() ? edges.otherNodeReference() : NONE;
    } catch (RuntimeException e) {
      throw graph.failure(e);
    }
  }

  @Override
  public final void targets(long id, int label, LongArrayList into) {
    otherEnds(id, selections.out(label), into);
  }

  @Override
  public final void sources(long id, int label, LongArrayList into) {
    otherEnds(id, selections.in(label), into);
  }

  private void otherEnds(long id, RelationshipSelection selection, LongArrayList into) {
    try {
      if (atEdges(id, selection)) {
        while (edges.next()) {
          into.add(edges.otherNodeReference());
        }
      }
    } catch (RuntimeException e) {
      throw graph.failure(e);
    }
  }

  /** The edge with this label between two nodes, or {@link #NONE}. */
  final long edge(long from, int label, long to) {
    try {
      if (atEdges(from, selections.out(label))) {
        while (edges.next()) {
          if (edges.targetNodeReference() == to) {
            return edges.relationshipReference();
          }
        }
      }
      return NONE;
    } catch (RuntimeException e) {
      throw graph.failure(e);
    }
  }

  @Override
  public final int outDegree(long id, int label) {
    return degree(id, selections.out(label));
  }

  @Override
  public final int inDegree(long id, int label) {
    return degree(id, selections.in(label));
  }

  private int degree(long id, RelationshipSelection selection) {
    try {
      return at(id) ? node.degree(selection) : 0;
    } catch (RuntimeException e) {
      throw graph.failure(e);
    }
  }

  @Override
  public final void nodes(NodeKind kind, LongArrayList into) {
    try (NodeLabelIndexCursor found =
        transaction
            .cursors()
            .allocateNodeLabelIndexCursor(
                transaction.cursorContext(), transaction.memoryTracker())) {
      read.nodeLabelScan(
          read.tokenReadSession(graph.nodesByLabel()),
          found,
          IndexQueryConstraints.unconstrained(),
          new TokenPredicate(graph.kindLabel(kind)),
          transaction.cursorContext());
      while (found.next()) {
        into.add(found.nodeReference());
      }
    } catch (KernelException | RuntimeException e) {
      throw graph.failure(e);
    }
  }

  @Override
  public final void lookup(String name, Comparison comparison, Object value, LongArrayList into) {
    Index index = graph.index(name);
    Value entry = Entries.entry(value);
    if (entry == null) {
      return;
    }
    if (Entries.isLong(value)) {
      lookupLong(index, comparison, (String) value, entry, into);
    } else if (!(value instanceof Boolean) || comparison == Comparison.EQ) {
      seek(index, query(index, comparison, entry), into);
    }
  }

  /** Entries with the same beginning are compared one by one. */
  private void lookupLong(
      Index index, Comparison comparison, String text, Value entry, LongArrayList into) {
    switch (comparison) {
      case LT, LE -> seek(index, query(index, Comparison.LT, entry), into);
      case GT, GE -> seek(index, query(index, Comparison.GT, entry), into);
      default -> {}
    }
    LongArrayList candidates = new LongArrayList();
    seek(index, query(index, Comparison.EQ, entry), candidates);
    candidates.forEach(
        id -> {
          if (comparison.holds(((String) property(id, index.longKey())).compareTo(text))) {
            into.add(id);
          }
        });
  }

  private static PropertyIndexQuery query(Index index, Comparison comparison, Value entry) {
    int key = index.key();
    return switch (comparison) {
      case EQ -> PropertyIndexQuery.exact(key, entry);
      case LT -> PropertyIndexQuery.range(key, null, false, entry, false);
      case LE -> PropertyIndexQuery.range(key, null, false, entry, true);
      case GT -> PropertyIndexQuery.range(key, entry, false, null, false);
      case GE -> PropertyIndexQuery.range(key, entry, true, null, false);
    };
  }

  /** Every node with an entry in an index. */
  final LongArrayList entries(String name) {
    LongArrayList found = new LongArrayList();
    seek(graph.index(name), PropertyIndexQuery.allEntries(), found);
    return found;
  }

  private void seek(Index index, PropertyIndexQuery query, LongArrayList into) {
    try (NodeValueIndexCursor found =
        transaction
            .cursors()
            .allocateNodeValueIndexCursor(
                transaction.cursorContext(), transaction.memoryTracker())) {
      read.nodeIndexSeek(
          transaction.queryContext(),
          read.indexReadSession(index.descriptor()),
          found,
          IndexQueryConstraints.unconstrained(),
          query);
      while (found.next()) {
        into.add(found.nodeReference());
      }
    } catch (KernelException | RuntimeException e) {
      throw graph.failure(e);
    }
  }

  @Override
  public void close() {
    try {
      if (finish()) {
        transaction.close();
      }
    } catch (KernelException | RuntimeException e) {
      throw graph.failure(e);
    }
  }
}
