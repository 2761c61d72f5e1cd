package org.modelstress.hawk.graph.orient;

import com.orientechnologies.common.util.ORawPair;
import com.orientechnologies.orient.core.db.ODatabaseDocumentInternal;
import com.orientechnologies.orient.core.id.ORID;
import com.orientechnologies.orient.core.index.OIndexInternal;
import com.orientechnologies.orient.core.index.OIndexManagerAbstract;
import com.orientechnologies.orient.core.index.OPropertyIndexDefinition;
import com.orientechnologies.orient.core.metadata.schema.OClass;
import com.orientechnologies.orient.core.metadata.schema.OProperty;
import com.orientechnologies.orient.core.metadata.schema.OType;
import com.orientechnologies.orient.core.record.impl.ODocument;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.modelstress.hawk.graph.IndexType;

/**
 * An index of the graph: a property of the class of all nodes with one of OrientDB's automatic
 * indices. The property's name carries a number that is never used twice, so what nodes keep of a
 * dropped index means nothing.
 */
final class OrientIndex {
  /** Begin of the name of the property with a node's entry. */
  static final String KEY = "index";

  /** Begin of the name of the field with the whole text of an entry that is too long for a key. */
  static final String TEXT = "text";

  /** OrientDB bounds the size of keys; a longer text has its beginning as key. */
  private static final int LONGEST_KEY = 1000;

  private static final String NAME = "name";
  private static final String TYPE = "type";
  private static final String CREATED = "indices";

  private final String name;
  private final IndexType type;
  private final String key;
  private final String text;
  private final OIndexInternal tree;

  private OrientIndex(ODatabaseDocumentInternal session, OProperty property) {
    this.name = property.getCustom(NAME);
    this.type = IndexType.valueOf(property.getCustom(TYPE));
    this.key = property.getName();
    this.text = TEXT + key.substring(KEY.length());
    this.tree = indices(session).getIndex(session, orientName(key)).getInternal();
  }

  private static OIndexManagerAbstract indices(ODatabaseDocumentInternal session) {
    return session.getMetadata().getIndexManagerInternal();
  }

  private static OClass nodes(ODatabaseDocumentInternal session) {
    return session.getMetadata().getSchema().getClass(OrientDatabase.NODE);
  }

  private static String orientName(String key) {
    return OrientDatabase.NODE + "." + key;
  }

  /** The indices of a database. */
  static List<OrientIndex> all(ODatabaseDocumentInternal session) {
    List<OrientIndex> all = new ArrayList<>();
    for (OProperty property : nodes(session).declaredProperties()) {
      // one without an index was being created or dropped when the program was killed
      if (indices(session).existsIndex(orientName(property.getName()))) {
        all.add(new OrientIndex(session, property));
      }
    }
    return all;
  }

  /** Creates an index, empty whatever the nodes hold; outside of transactions. */
  static OrientIndex create(ODatabaseDocumentInternal session, String name, IndexType type) {
    OClass nodes = nodes(session);
    String created = nodes.getCustom(CREATED);
    int number = created == null ? 0 : Integer.parseInt(created);
    nodes.setCustom(CREATED, String.valueOf(number + 1));
    OType orientType = orientType(type);
    // unsafe and without clusters: the property is new, so there is nothing to check or to index
    OProperty property = nodes.createProperty(KEY + number, orientType, (OType) null, true);
    property.setCustom(NAME, name);
    property.setCustom(TYPE, type.name());
    String index = orientName(property.getName());
    indices(session)
        .createIndex(
            session,
            index,
            OClass.INDEX_TYPE.NOTUNIQUE.name(),
            new OPropertyIndexDefinition(OrientDatabase.NODE, property.getName(), orientType),
            null,
            null,
            new ODocument().field("ignoreNullValues", true));
    for (int cluster : nodes.getPolymorphicClusterIds()) {
      indices(session).addClusterToIndex(session.getClusterNameById(cluster), index);
    }
    return new OrientIndex(session, property);
  }

  private static OType orientType(IndexType type) {
    return switch (type) {
      case TRUTH -> OType.BOOLEAN;
      case WHOLE -> OType.LONG;
      case REAL -> OType.DOUBLE;
      case TEXT -> OType.STRING;
    };
  }

  /** Drops the index; outside of transactions. */
  void drop(ODatabaseDocumentInternal session) {
    indices(session).dropIndex(session, tree.getName());
    nodes(session).dropProperty(key);
  }

  String name() {
    return name;
  }

  IndexType type() {
    return type;
  }

  /** Sets the entry of a node, which the database indexes when the document is saved. */
  void set(ODocument document, Object value) {
    Comparable<?> whole = value == null ? null : KeyRange.key(type, value);
    Object stored = stored(whole);
    if (whole == null) {
      document.removeProperty(key);
    } else {
      document.setProperty(key, stored);
    }
    if (isCut(stored)) {
      document.setProperty(text, whole);
    } else if (type == IndexType.TEXT) {
      document.removeProperty(text);
    }
  }

  /** Whether the entry of a node is in a range. */
  boolean holds(KeyRange range, ODocument document) {
    Comparable<?> whole = document.getProperty(text);
    Comparable<?> entry = whole == null ? document.getProperty(key) : whole;
    return entry != null && range.contains(entry);
  }

  /**
   * Tells of the nodes in a range, and for each whether its key is only the beginning of a text.
   */
  void lookup(KeyRange range, BiConsumer<ORID, Boolean> into) {
    try (Stream<ORawPair<Object, ORID>> hits = hits(range)) {
      hits.forEach(hit -> into.accept(hit.second, isCut(hit.first)));
    }
  }

  private Stream<ORawPair<Object, ORID>> hits(KeyRange range) {
    Object from = stored(range.from());
    Object to = stored(range.to());
    boolean fromInclusive = range.fromInclusive() || isCut(from);
    boolean toInclusive = range.toInclusive() || isCut(to);
    if (from == null && to == null) {
      return tree.stream();
    }
    if (from == null) {
      return tree.streamEntriesMinor(to, toInclusive, true);
    }
    if (to == null) {
      return tree.streamEntriesMajor(from, fromInclusive, true);
    }
    return tree.streamEntriesBetween(from, fromInclusive, to, toInclusive, true);
  }

  private static boolean isCut(Object key) {
    return key instanceof String text && text.length() >= LONGEST_KEY;
  }

  private static Object stored(Comparable<?> key) {
    if (!(key instanceof String text) || text.length() < LONGEST_KEY) {
      return key;
    }
    // half a surrogate pair cannot be stored; what stands for it keeps the order
    char last = text.charAt(LONGEST_KEY - 1);
    return text.substring(0, LONGEST_KEY - 1) + (Character.isHighSurrogate(last) ? '\uD7FF' : last);
  }
}
