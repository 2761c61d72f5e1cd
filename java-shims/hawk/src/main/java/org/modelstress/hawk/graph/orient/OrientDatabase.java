package org.modelstress.hawk.graph.orient;

import com.orientechnologies.orient.core.Orient;
import com.orientechnologies.orient.core.config.OGlobalConfiguration;
import com.orientechnologies.orient.core.db.ODatabaseDocumentInternal;
import com.orientechnologies.orient.core.db.ODatabaseRecordThreadLocal;
import com.orientechnologies.orient.core.db.ODatabaseType;
import com.orientechnologies.orient.core.db.OrientDBConfig;
import com.orientechnologies.orient.core.db.OrientDBEmbedded;
import com.orientechnologies.orient.core.engine.local.OEngineLocalPaginated;
import com.orientechnologies.orient.core.metadata.schema.OClass;
import com.orientechnologies.orient.core.metadata.schema.OSchema;
import com.orientechnologies.orient.core.record.ORecordInternal;
import com.orientechnologies.orient.core.record.impl.ODocument;
import com.orientechnologies.orient.core.record.impl.OVertexDocument;
import com.orientechnologies.orient.core.storage.OCluster;
import com.orientechnologies.orient.core.storage.cluster.OPaginatedCluster;
import com.orientechnologies.orient.core.storage.impl.local.OAbstractPaginatedStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.modelstress.hawk.graph.NodeKind;

/**
 * An OrientDB database with the graph's schema: a vertex class {@code Node} and below it one class,
 * of one cluster, for each kind of node. Edges are OrientDB's lightweight ones: link bags in the
 * vertices at both ends and no records of their own, so labels need no classes.
 */
final class OrientDatabase implements AutoCloseable {
  /** The vertex class above those of all kinds. */
  static final String NODE = "Node";

  /**
   * Link bags of so many links become trees. OrientDB's default of 40 is for many writers at once;
   * here is one, and short bags are read much faster from within their documents.
   */
  private static final int LONGEST_EMBEDDED = 1_000;

  private static final String DATABASE = "graph";
  private static final Logger LOGGER = Logger.getLogger("com.orientechnologies");

  private final OrientDBEmbedded databases;
  private final OAbstractPaginatedStorage storage;
  private final NodeIds ids;

  private OrientDatabase(OrientDBEmbedded databases, boolean create) {
    this.databases = databases;
    try (ODatabaseDocumentInternal session = session()) {
      storage = (OAbstractPaginatedStorage) session.getStorage();
      OSchema schema = session.getMetadata().getSchema();
      if (create) {
        OClass node = schema.createAbstractClass(NODE, schema.getClass(OClass.VERTEX_CLASS_NAME));
        for (NodeKind kind : NodeKind.values()) {
          schema.createClass(className(kind), 1, node);
        }
      }
      Map<NodeKind, Integer> clusters = new EnumMap<>(NodeKind.class);
      for (NodeKind kind : NodeKind.values()) {
        clusters.put(kind, schema.getClass(className(kind)).getDefaultClusterId());
      }
      ids = new NodeIds(clusters);
    } finally {
      ODatabaseRecordThreadLocal.instance().remove();
    }
  }

  /** The vertex class of a kind of node, such as {@code Element}. */
  static String className(NodeKind kind) {
    return kind.name().charAt(0) + kind.name().substring(1).toLowerCase();
  }

  /**
   * Creates a database for loading: nothing is forced to disk.
   *
   * @param cache bound of the disk cache, MiB
   */
  static OrientDatabase create(Path folder, int cache) {
    OrientDBConfig config = config(false);
    OrientDBEmbedded databases = databases(folder, cache, config);
    try {
      databases.create(DATABASE, null, null, ODatabaseType.PLOCAL, config);
      return new OrientDatabase(databases, true);
    } catch (RuntimeException e) {
      databases.close();
      throw e;
    }
  }

  /**
   * Opens a database.
   *
   * @param cache bound of the disk cache, MiB
   */
  static OrientDatabase open(Path folder, int cache) {
    OrientDBEmbedded databases = databases(folder, cache, config(true));
    try {
      return new OrientDatabase(databases, false);
    } catch (RuntimeException e) {
      databases.close();
      throw e;
    }
  }

  private static OrientDBConfig config(boolean durable) {
    return OrientDBConfig.builder()
        .addConfig(OGlobalConfiguration.CREATE_DEFAULT_USERS, false)
        .addConfig(OGlobalConfiguration.CLASS_MINIMUM_CLUSTERS, 1)
        .addConfig(OGlobalConfiguration.STORAGE_CALL_FSYNC, durable)
        .addConfig(
            OGlobalConfiguration.RID_BAG_EMBEDDED_TO_SBTREEBONSAI_THRESHOLD, LONGEST_EMBEDDED)
        .build();
  }

  /**
   * The engine is one for the process: the last bound of its disk cache holds for all databases.
   */
  private static synchronized OrientDBEmbedded databases(
      Path folder, int cache, OrientDBConfig config) {
    LOGGER.setLevel(Level.SEVERE);
    OGlobalConfiguration.DISK_CACHE_SIZE.setValue(cache);
    Orient orient = Orient.instance();
    // the program closes its graphs itself; these would race with it and change the exit code
    orient.removeShutdownHook();
    orient.removeSignalHandler();
    OrientDBEmbedded databases = new OrientDBEmbedded(folder.toString(), config, orient);
    ((OEngineLocalPaginated) orient.getEngine("plocal")).changeCacheSize(cache * 1024L * 1024L);
    return databases;
  }

  NodeIds ids() {
    return ids;
  }

  /** A new session, active on this thread. */
  ODatabaseDocumentInternal session() {
    return databases.openNoAuthorization(DATABASE);
  }

  /** A new document for a node whose record will have this identifier. */
  ODocument newDocument(ODatabaseDocumentInternal session, long node) {
    ODocument document = new OVertexDocument(session, className(NodeIds.kind(node)));
    ORecordInternal.setIdentity(document, ids.rid(node));
    return document;
  }

  /**
   * Saves a document as a record that does not exist yet though it has an identifier. That is still
   * said with a deprecated form of save only.
   */
  @SuppressWarnings("deprecation")
  static void create(ODatabaseDocumentInternal session, ODocument document) {
    session.save(
        document, null, ODatabaseDocumentInternal.OPERATION_MODE.SYNCHRONOUS, true, null, null);
  }

  /** Deletes a record whose edges are gone; the session's delete would look for them again. */
  @SuppressWarnings("deprecation")
  static void delete(ODatabaseDocumentInternal session, ODocument document) {
    session
        .getTransaction()
        .deleteRecord(document, ODatabaseDocumentInternal.OPERATION_MODE.SYNCHRONOUS);
  }

  /** Does something with a session of its own, outside of transactions. */
  <T> T inSession(Function<ODatabaseDocumentInternal, T> action) {
    ODatabaseDocumentInternal before = ODatabaseRecordThreadLocal.instance().getIfDefined();
    try (ODatabaseDocumentInternal session = session()) {
      return action.apply(session);
    } finally {
      if (before != null) {
        before.activateOnCurrentThread();
      }
    }
  }

  /** Position of the next record of a kind: behind all that ever were. */
  long next(NodeKind kind) throws IOException {
    int id = ids.cluster(NodeIds.of(kind, 0));
    for (OCluster each : storage.getClusterInstances()) {
      if (each.getId() == id) {
        OPaginatedCluster cluster = (OPaginatedCluster) each;
        long next = cluster.getLastPosition() + 1;
        while (cluster.getRecordStatus(next) != OPaginatedCluster.RECORD_STATUS.NOT_EXISTENT) {
          next++;
        }
        return next;
      }
    }
    throw new IllegalStateException("there is no cluster " + id);
  }

  /** Makes the transactions so far survive a crash of the machine. */
  void force() throws IOException {
    storage.getWALInstance().flush();
  }

  /** Writes all pages to their files and empties the log. */
  void checkpoint() {
    storage.synch();
  }

  @Override
  public void close() {
    databases.close();
  }
}
