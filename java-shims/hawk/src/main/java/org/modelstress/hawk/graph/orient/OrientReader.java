package org.modelstress.hawk.graph.orient;

import com.orientechnologies.orient.core.db.ODatabaseDocumentInternal;
import com.orientechnologies.orient.core.db.record.ridbag.ORidBag;
import com.orientechnologies.orient.core.exception.ORecordNotFoundException;
import com.orientechnologies.orient.core.id.ORecordId;
import com.orientechnologies.orient.core.record.ORecord;
import com.orientechnologies.orient.core.record.impl.ODocument;
import com.orientechnologies.orient.core.storage.OPhysicalPosition;
import com.orientechnologies.orient.core.storage.OStorage;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.graph.Comparison;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.NodeKind;

/** Reads through a session what is committed. */
class OrientReader implements GraphReader {
  private final OrientGraph graph;

  /** Null when the reader is closed: the session may serve another one then. */
  private SessionPool.Session session;

  /** The document used last: questions on one node come in a row. */
  private ODocument last;

  private long lastNode = NONE;

  OrientReader(OrientGraph graph, SessionPool.Session session) {
    this.graph = graph;
    this.session = session;
  }

  final OrientGraph graph() {
    return graph;
  }

  /** OrientDB's session, active on this thread. */
  final ODatabaseDocumentInternal orient() {
    if (session == null) {
      throw new GraphException("A reader of the graph was used after it had been closed.", null);
    }
    return session.orient();
  }

  /** A node's document, with its fields not read yet; null if there is none. */
  ODocument find(long node) {
    ODatabaseDocumentInternal orient = orient();
    if (node == lastNode) {
      return last;
    }
    if (!NodeIds.possible(node)) {
      return null;
    }
    ODocument found = load(orient, graph.ids().rid(node));
    if (found != null) {
      last = found;
      lastNode = node;
    }
    return found;
  }

  private ODocument load(ODatabaseDocumentInternal orient, ORecordId rid) {
    ORecord cached = orient.getLocalCache().findRecord(rid);
    if (cached instanceof ODocument document) {
      return document;
    }
    try {
      return orient.load(rid);
    } catch (ORecordNotFoundException e) {
      return null;
    } catch (RuntimeException e) {
      throw graph.failed("read node " + rid + " of", e);
    }
  }

  /** Forgets the document used last. */
  final void forget() {
    last = null;
    lastNode = NONE;
  }

  /** A node's document. */
  final ODocument document(long node) {
    ODocument document = find(node);
    if (document == null) {
      String id = NodeIds.possible(node) ? graph.idText(node) : Long.toString(node);
      throw new GraphException("There is no node " + id + " in the graph.", null);
    }
    return document;
  }

  private ORidBag bag(long node, int label, boolean out) {
    ODocument document = document(node);
    try {
      return Links.bag(document, graph.names().edges(label, out));
    } catch (RuntimeException e) {
      throw graph.failed("read the edges of a node of", e);
    }
  }

  @Override
  public boolean exists(long node) {
    return find(node) != null;
  }

  @Override
  public NodeKind kind(long node) {
    return NodeIds.kind(node);
  }

  @Override
  public Object property(long node, int key) {
    ODocument document = document(node);
    try {
      return FieldValues.property(document.getProperty(graph.names().property(key)));
    } catch (RuntimeException e) {
      throw graph.failed("read a property of a node of", e);
    }
  }

  @Override
  public Map<String, Object> properties(long node) {
    ODocument document = document(node);
    Map<String, Object> properties = new HashMap<>();
    try {
      for (String field : document.fieldNames()) {
        if (FieldNames.isProperty(field)) {
          properties.put(FieldNames.name(field), FieldValues.property(document.getProperty(field)));
        }
      }
    } catch (RuntimeException e) {
      throw graph.failed("read the properties of a node of", e);
    }
    return properties;
  }

  @Override
  public long target(long node, int label) {
    return one(node, label, true);
  }

  @Override
  public long source(long node, int label) {
    return one(node, label, false);
  }

  private long one(long node, int label, boolean out) {
    ORidBag bag = bag(node, label, out);
    try {
      return Links.one(orient(), bag, graph.ids());
    } catch (RuntimeException e) {
      throw graph.failed("read the edges of a node of", e);
    }
  }

  @Override
  public void targets(long node, int label, LongArrayList into) {
    all(node, label, true, into);
  }

  @Override
  public void sources(long node, int label, LongArrayList into) {
    all(node, label, false, into);
  }

  private void all(long node, int label, boolean out, LongArrayList into) {
    ORidBag bag = bag(node, label, out);
    try {
      Links.all(bag, graph.ids(), into);
    } catch (RuntimeException e) {
      throw graph.failed("read the edges of a node of", e);
    }
  }

  @Override
  public int outDegree(long node, int label) {
    return degree(node, label, true);
  }

  @Override
  public int inDegree(long node, int label) {
    return degree(node, label, false);
  }

  private int degree(long node, int label, boolean out) {
    ORidBag bag = bag(node, label, out);
    try {
      return bag == null ? 0 : bag.size();
    } catch (RuntimeException e) {
      throw graph.failed("count the edges of a node of", e);
    }
  }

  @Override
  public void nodes(NodeKind kind, LongArrayList into) {
    int cluster = graph.ids().cluster(NodeIds.of(kind, 0));
    try {
      OStorage storage = orient().getStorage();
      OPhysicalPosition[] page =
          storage.ceilingPhysicalPositions(cluster, new OPhysicalPosition(0));
      while (page.length > 0) {
        for (OPhysicalPosition position : page) {
          into.add(NodeIds.of(kind, position.clusterPosition));
        }
        page = storage.higherPhysicalPositions(cluster, page[page.length - 1]);
      }
    } catch (RuntimeException e) {
      throw graph.failed("list the nodes of", e);
    }
  }

  @Override
  public void lookup(String index, Comparison comparison, Object value, LongArrayList into) {
    OrientIndex its = graph.index(index);
    KeyRange range = KeyRange.of(its.type(), comparison, value);
    if (range == null) {
      return;
    }
    orient();
    try {
      LongArrayList cut = new LongArrayList(0);
      its.lookup(range, (rid, isCut) -> (isCut ? cut : into).add(graph.ids().node(rid)));
      for (int i = 0; i < cut.size(); i++) {
        if (its.holds(range, document(cut.get(i)))) {
          into.add(cut.get(i));
        }
      }
    } catch (GraphException e) {
      throw e;
    } catch (RuntimeException e) {
      throw graph.failed("look up index " + index + " of", e);
    }
  }

  @Override
  public void close() {
    if (session != null) {
      forget();
      session.close();
      session = null;
    }
  }
}
