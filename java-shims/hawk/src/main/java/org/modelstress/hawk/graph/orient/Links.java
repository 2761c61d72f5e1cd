package org.modelstress.hawk.graph.orient;

import com.orientechnologies.orient.core.db.ODatabaseDocumentInternal;
import com.orientechnologies.orient.core.db.record.OIdentifiable;
import com.orientechnologies.orient.core.db.record.ridbag.ORidBag;
import com.orientechnologies.orient.core.id.ORID;
import com.orientechnologies.orient.core.metadata.schema.OType;
import com.orientechnologies.orient.core.record.impl.ODocument;
import com.orientechnologies.orient.core.storage.index.sbtreebonsai.local.OSBTreeBonsai;
import com.orientechnologies.orient.core.storage.ridbag.sbtree.OBonsaiCollectionPointer;
import com.orientechnologies.orient.core.storage.ridbag.sbtree.OSBTreeCollectionManager;
import java.util.Iterator;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.graph.GraphReader;

/** Link bags: embedded in their documents while short, trees when long, as OrientDB decides. */
final class Links {
  private Links() {}

  /** The link bag of a field, or null. */
  static ORidBag bag(ODocument document, String field) {
    return document.getProperty(field);
  }

  /** The link bag of a field, a new one if there was none. */
  static ORidBag need(ODocument document, String field) {
    ORidBag bag = bag(document, field);
    if (bag == null) {
      document.setProperty(field, new ORidBag(), OType.LINKBAG);
      bag = bag(document, field);
    }
    return bag;
  }

  /** Adds all nodes of a bag. */
  static void all(ORidBag bag, NodeIds ids, LongArrayList into) {
    if (bag == null) {
      return;
    }
    Iterator<OIdentifiable> links = bag.rawIterator();
    while (links.hasNext()) {
      into.add(ids.node(links.next().getIdentity()));
    }
  }

  /** One node of a bag, or {@link GraphReader#NONE}. */
  static long one(ODatabaseDocumentInternal session, ORidBag bag, NodeIds ids) {
    if (bag == null) {
      return GraphReader.NONE;
    }
    if (!bag.isEmbedded() && bag.getChanges().isEmpty()) {
      // an iterator would fetch the first thousand
      ORID first = first(session.getSbTreeCollectionManager(), bag.getPointer());
      return first == null ? GraphReader.NONE : ids.node(first);
    }
    Iterator<OIdentifiable> links = bag.rawIterator();
    return links.hasNext() ? ids.node(links.next().getIdentity()) : GraphReader.NONE;
  }

  private static ORID first(OSBTreeCollectionManager trees, OBonsaiCollectionPointer pointer) {
    OSBTreeBonsai<OIdentifiable, Integer> tree = trees.loadSBTree(pointer);
    try {
      OIdentifiable first = tree.firstKey();
      return first == null ? null : first.getIdentity();
    } finally {
      trees.releaseSBTree(pointer);
    }
  }
}
