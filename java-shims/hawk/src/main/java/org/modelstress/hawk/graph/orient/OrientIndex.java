package org.modelstress.hawk.graph.orient;

import com.orientechnologies.common.util.ORawPair;
import com.orientechnologies.orient.core.id.ORID;
import com.orientechnologies.orient.core.id.ORecordId;
import com.orientechnologies.orient.core.index.OIndexManagerAbstract;
import com.orientechnologies.orient.core.index.OSimpleKeyIndexDefinition;
import com.orientechnologies.orient.core.index.engine.OMultiValueIndexEngine;
import com.orientechnologies.orient.core.metadata.schema.OClass;
import com.orientechnologies.orient.core.metadata.schema.OType;
import com.orientechnologies.orient.core.storage.impl.local.OAbstractPaginatedStorage;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.modelstress.hawk.graph.IndexType;

/** One of OrientDB's B-trees, from keys to nodes. */
final class OrientIndex {
  /** OrientDB bounds the size of keys; a longer text has its beginning as key. */
  private static final int LONGEST_KEY = 1000;

  private final OrientStore store;
  private final String name;
  private final IndexType type;
  private final int number;
  private final int engine;
  private final OMultiValueIndexEngine tree;

  private OrientIndex(OrientStore store, String name, IndexType type, int number, int engine)
      throws Exception {
    this.store = store;
    this.name = name;
    this.type = type;
    this.number = number;
    this.engine = engine;
    this.tree = (OMultiValueIndexEngine) store.storage().getIndexEngine(engine);
  }

  /**
   * Creates an index.
   *
   * @param number never used before
   */
  static OrientIndex create(OrientStore store, String name, IndexType type, int number)
      throws Exception {
    OType key =
        switch (type) {
          case TRUTH -> OType.BOOLEAN;
          case WHOLE -> OType.LONG;
          case REAL -> OType.DOUBLE;
          case TEXT -> OType.STRING;
        };
    int engine =
        store.inSession(
            session -> {
              OIndexManagerAbstract manager = session.getMetadata().getIndexManagerInternal();
              String its = orientName(number);
              if (manager.existsIndex(its)) {
                manager.dropIndex(session, its);
              }
              return manager
                  .createIndex(
                      session,
                      its,
                      OClass.INDEX_TYPE.NOTUNIQUE.name(),
                      new OSimpleKeyIndexDefinition(key),
                      null,
                      null,
                      null)
                  .getInternal()
                  .getIndexId();
            });
    return new OrientIndex(store, name, type, number, engine);
  }

  /** Opens an index. */
  static OrientIndex open(OrientStore store, String name, IndexType type, int number)
      throws Exception {
    int engine =
        store.inSession(
            session ->
                session
                    .getMetadata()
                    .getIndexManagerInternal()
                    .getIndex(session, orientName(number))
                    .getInternal()
                    .getIndexId());
    return new OrientIndex(store, name, type, number, engine);
  }

  void drop() {
    store.inSession(
        session -> {
          session.getMetadata().getIndexManagerInternal().dropIndex(session, orientName(number));
          return null;
        });
  }

  private static String orientName(int number) {
    return "index" + number;
  }

  String name() {
    return name;
  }

  IndexType type() {
    return type;
  }

  int number() {
    return number;
  }

  void put(OrientStore.Change change, Object value, long node) {
    tree.put(change.operation(), stored(KeyRange.key(type, value)), rid(node));
  }

  void remove(OrientStore.Change change, Object value, long node) {
    tree.remove(change.operation(), stored(KeyRange.key(type, value)), rid(node));
  }

  private ORID rid(long node) {
    return new ORecordId(store.ids().cluster(node), NodeIds.position(node));
  }

  /**
   * Tells of the nodes in a range.
   *
   * @param entries the full entry of a node, for texts that are longer than their key
   */
  void lookup(KeyRange range, LongFunction<Object> entries, LongConsumer into) throws Exception {
    boolean texts = type == IndexType.TEXT;
    try (Stream<ORawPair<Object, ORID>> hits = hits(range)) {
      hits.forEach(
          hit -> {
            long node =
                store.ids().node(hit.second.getClusterId(), hit.second.getClusterPosition());
            boolean cut = texts && ((String) hit.first).length() >= LONGEST_KEY;
            if (!cut || range.contains((String) entries.apply(node))) {
              into.accept(node);
            }
          });
    }
  }

  private Stream<ORawPair<Object, ORID>> hits(KeyRange range) throws Exception {
    OAbstractPaginatedStorage storage = store.storage();
    Object from = stored(range.from());
    Object to = stored(range.to());
    boolean fromInclusive = range.fromInclusive() || isCut(from);
    boolean toInclusive = range.toInclusive() || isCut(to);
    if (from == null && to == null) {
      return storage.getIndexStream(engine, null);
    }
    if (from == null) {
      return storage.iterateIndexEntriesMinor(engine, to, toInclusive, true, null);
    }
    if (to == null) {
      return storage.iterateIndexEntriesMajor(engine, from, fromInclusive, true, null);
    }
    return storage.iterateIndexEntriesBetween(
        engine, from, fromInclusive, to, toInclusive, true, null);
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
