package org.modelstress.hawk.graph.orient;

import com.orientechnologies.orient.core.db.ODatabaseDocumentInternal;
import com.orientechnologies.orient.core.db.record.ridbag.ORidBag;
import com.orientechnologies.orient.core.id.ORecordId;
import com.orientechnologies.orient.core.record.impl.ODocument;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.map.mutable.primitive.LongObjectHashMap;
import org.eclipse.collections.impl.set.mutable.primitive.LongHashSet;
import org.modelstress.hawk.graph.Comparison;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.GraphWriter;
import org.modelstress.hawk.graph.NodeKind;

/**
 * An OrientDB transaction. A new node has its final record identifier at once, the next of its
 * cluster: there is one writer at a time, and OrientDB creates records with identifiers that were
 * chosen beforehand when a transaction is committed with {@code commitPreallocate}. Until then the
 * record does not exist.
 */
final class OrientWriter extends OrientReader implements GraphWriter {
  /** Documents that the transaction changed, as long as it lasts. */
  private final LongObjectHashMap<ODocument> touched = new LongObjectHashMap<>();

  /** Those of them that OrientDB's transaction does not know of in their present state. */
  private final LongHashSet unsaved = new LongHashSet();

  private final LongHashSet created = new LongHashSet();
  private final LongHashSet deleted = new LongHashSet();

  /** Nodes whose entries changed. */
  private final Map<OrientIndex, LongHashSet> entries = new HashMap<>();

  /** Position of the next record of each kind. */
  private final long[] next;

  private boolean open = true;

  OrientWriter(OrientGraph graph, SessionPool.Session session) {
    super(graph, session);
    next = graph.next();
    orient().begin();
  }

  @Override
  ODocument find(long node) {
    ODocument changed = touched.get(node);
    if (changed != null) {
      orient();
      return changed;
    }
    return deleted.contains(node) ? null : super.find(node);
  }

  /** A node's document, to be changed. */
  private ODocument touch(long node) {
    ODocument document = document(node);
    touched.put(node, document);
    unsaved.add(node);
    return document;
  }

  /** Something that may fail in OrientDB. */
  private void change(String what, Runnable action) {
    try {
      action.run();
    } catch (GraphException | IllegalArgumentException e) {
      throw e;
    } catch (RuntimeException e) {
      throw graph().failed(what, e);
    }
  }

  @Override
  public void nodes(NodeKind kind, LongArrayList into) {
    LongArrayList stored = new LongArrayList();
    super.nodes(kind, stored);
    stored.removeIf(deleted::contains);
    into.addAll(stored);
    created.forEach(
        node -> {
          if (NodeIds.kind(node) == kind) {
            into.add(node);
          }
        });
  }

  @Override
  public void lookup(String index, Comparison comparison, Object value, LongArrayList into) {
    OrientIndex its = graph().index(index);
    LongHashSet changed = entries.getOrDefault(its, new LongHashSet());
    LongArrayList found = new LongArrayList();
    // what is committed: with changes of a transaction, ranges fail in OrientDB 3.2.49
    try (GraphReader committed = graph().read()) {
      committed.lookup(index, comparison, value, found);
    }
    found.removeIf(node -> deleted.contains(node) || changed.contains(node));
    into.addAll(found);
    KeyRange range = KeyRange.of(its.type(), comparison, value);
    if (range != null) {
      changed.forEach(
          node -> {
            if (!deleted.contains(node) && its.holds(range, document(node))) {
              into.add(node);
            }
          });
    }
  }

  @Override
  public long createNode(NodeKind kind, Map<String, Object> properties) {
    long node = NodeIds.of(kind, next[kind.ordinal()]++);
    change(
        "create a node of",
        () -> {
          ODocument document = graph().database().newDocument(orient(), node);
          properties.forEach(
              (name, value) ->
                  document.setProperty(FieldNames.property(name), FieldValues.field(value)));
          touched.put(node, document);
          unsaved.add(node);
          created.add(node);
        });
    return node;
  }

  @Override
  public void setProperty(long node, int key, Object value) {
    Object field = value == null ? null : FieldValues.field(value);
    change(
        "set a property of a node of",
        () -> {
          String name = graph().names().property(key);
          if (field == null) {
            touch(node).removeProperty(name);
          } else {
            touch(node).setProperty(name, field);
          }
        });
  }

  @Override
  public void createEdge(long from, int label, long to) {
    change(
        "create an edge of",
        () -> {
          ODocument source = touch(from);
          ODocument target = touch(to);
          Links.need(source, graph().names().edges(label, true)).add(graph().ids().rid(to));
          Links.need(target, graph().names().edges(label, false)).add(graph().ids().rid(from));
        });
  }

  @Override
  public boolean deleteEdge(long from, int label, long to) {
    ODocument source = document(from);
    ODocument target = document(to);
    ORecordId targetId = graph().ids().rid(to);
    String out = graph().names().edges(label, true);
    ORidBag targets = Links.bag(source, out);
    if (targets == null || !targets.contains(targetId)) {
      return false;
    }
    change(
        "delete an edge of",
        () -> {
          touch(from);
          touch(to);
          targets.remove(targetId);
          Links.bag(target, FieldNames.opposite(out)).remove(graph().ids().rid(from));
        });
    return true;
  }

  @Override
  public void deleteNode(long node) {
    ODocument document = document(node);
    change(
        "delete a node of",
        () -> {
          for (String field : document.fieldNames()) {
            if (FieldNames.isEdges(field)) {
              deleteLinksTo(node, document, field);
            }
          }
          unsaved.remove(node);
          touched.remove(node);
          forget();
          if (!created.remove(node)) {
            OrientDatabase.delete(orient(), document);
          }
          deleted.add(node);
        });
  }

  private void deleteLinksTo(long node, ODocument document, String field) {
    LongArrayList others = new LongArrayList();
    Links.all(Links.bag(document, field), graph().ids(), others);
    ORecordId rid = graph().ids().rid(node);
    for (int i = 0; i < others.size(); i++) {
      if (others.get(i) != node) {
        Links.bag(touch(others.get(i)), FieldNames.opposite(field)).remove(rid);
      }
    }
  }

  @Override
  public void setIndexed(String index, long node, Object value) {
    OrientIndex its = graph().index(index);
    change("set an entry of index " + index + " of", () -> its.set(touch(node), value));
    entries.computeIfAbsent(its, i -> new LongHashSet()).add(node);
  }

  /** Tells OrientDB's transaction of the changes, which updates its indices. */
  private void save() {
    ODatabaseDocumentInternal orient = orient();
    // in the order of the file, so that neighbouring records change together
    for (long node : unsaved.toSortedArray()) {
      ODocument document = touched.get(node);
      if (created.contains(node)) {
        OrientDatabase.create(orient, document);
      } else {
        orient.save(document);
      }
    }
    unsaved.clear();
  }

  @Override
  public void commit() {
    try {
      save();
      orient().commitPreallocate();
      graph().committed(next);
    } catch (Exception e) {
      throw graph().failed("write", e);
    } finally {
      end();
      orient().begin();
    }
  }

  private void end() {
    touched.clear();
    unsaved.clear();
    created.clear();
    deleted.clear();
    entries.clear();
    forget();
    orient().getLocalCache().invalidate();
  }

  @Override
  public void close() {
    if (!open) {
      return;
    }
    open = false;
    try {
      orient().rollback();
      end();
    } catch (RuntimeException e) {
      throw graph().failed("undo an update of", e);
    } finally {
      super.close();
      graph().end();
    }
  }
}
