package org.modelstress.hawk.graph.orient;

import com.orientechnologies.orient.core.Orient;
import com.orientechnologies.orient.core.config.OGlobalConfiguration;
import com.orientechnologies.orient.core.db.ODatabaseDocumentInternal;
import com.orientechnologies.orient.core.db.ODatabaseRecordThreadLocal;
import com.orientechnologies.orient.core.db.ODatabaseType;
import com.orientechnologies.orient.core.db.OrientDBConfig;
import com.orientechnologies.orient.core.db.OrientDBEmbedded;
import com.orientechnologies.orient.core.engine.local.OEngineLocalPaginated;
import com.orientechnologies.orient.core.id.ORecordId;
import com.orientechnologies.orient.core.storage.OCluster;
import com.orientechnologies.orient.core.storage.ORawBuffer;
import com.orientechnologies.orient.core.storage.cluster.OClusterPositionMapBucket;
import com.orientechnologies.orient.core.storage.impl.local.OAbstractPaginatedStorage;
import com.orientechnologies.orient.core.storage.impl.local.paginated.atomicoperations.OAtomicOperation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.modelstress.hawk.graph.NodeKind;

/**
 * An OrientDB database: a cluster of records for each kind of node, one for chunks of long
 * neighbour lists and one for a single record with what the graph must remember. Records are read
 * and written through the storage, below OrientDB's documents and sessions; those cost more than
 * the records themselves and are bound to threads. Sessions serve only to create and drop clusters
 * and indices.
 */
final class OrientStore implements AutoCloseable {
  private static final String DATABASE = "graph";
  private static final String CHUNKS = "chunk";
  private static final String STATE = "state";
  private static final byte BLOB = 'b';
  private static final Logger LOGGER = Logger.getLogger("com.orientechnologies");

  private final OrientDBEmbedded databases;
  private final OAbstractPaginatedStorage storage;
  private final NodeIds ids;
  private final Map<NodeKind, OCluster> nodes = new EnumMap<>(NodeKind.class);
  private final OCluster chunks;
  private final OCluster state;

  /** Whether OrientDB knows that the files need recovery after a crash. */
  private boolean touched;

  private OrientStore(OrientDBEmbedded databases, boolean create) {
    this.databases = databases;
    try (ODatabaseDocumentInternal session = databases.openNoAuthorization(DATABASE)) {
      storage = (OAbstractPaginatedStorage) session.getStorage();
      Map<NodeKind, Integer> clusters = new EnumMap<>(NodeKind.class);
      for (NodeKind kind : NodeKind.values()) {
        nodes.put(kind, cluster(session, kind.name().toLowerCase(), create));
        clusters.put(kind, nodes.get(kind).getId());
      }
      chunks = cluster(session, CHUNKS, create);
      state = cluster(session, STATE, create);
      ids = new NodeIds(clusters);
    } finally {
      ODatabaseRecordThreadLocal.instance().remove();
    }
  }

  private OCluster cluster(ODatabaseDocumentInternal session, String name, boolean create) {
    int id = create ? session.addCluster(name) : session.getClusterIdByName(name);
    for (OCluster cluster : storage.getClusterInstances()) {
      if (cluster.getId() == id) {
        return cluster;
      }
    }
    throw new IllegalStateException("there is no cluster " + name);
  }

  /**
   * Creates a database for loading: nothing is forced to disk.
   *
   * @param cache bound of the disk cache, MiB
   */
  static OrientStore create(Path folder, int cache) {
    OrientDBConfig config = config(false);
    OrientDBEmbedded databases = databases(folder, cache, config);
    try {
      databases.create(DATABASE, null, null, ODatabaseType.PLOCAL, config);
      return new OrientStore(databases, true);
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
  static OrientStore open(Path folder, int cache) {
    OrientDBEmbedded databases = databases(folder, cache, config(true));
    try {
      return new OrientStore(databases, false);
    } catch (RuntimeException e) {
      databases.close();
      throw e;
    }
  }

  private static OrientDBConfig config(boolean durable) {
    return OrientDBConfig.builder()
        .addConfig(OGlobalConfiguration.CREATE_DEFAULT_USERS, false)
        .addConfig(OGlobalConfiguration.STORAGE_CALL_FSYNC, durable)
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

  OAbstractPaginatedStorage storage() {
    return storage;
  }

  /** A node's record, or null. */
  byte[] node(long node) {
    return read(ids.cluster(node), NodeIds.position(node));
  }

  /** The chunk at a position. */
  byte[] chunk(long position) {
    return read(chunks.getId(), position);
  }

  private byte[] read(int cluster, long position) {
    ORawBuffer found =
        storage.readRecord(new ORecordId(cluster, position), null, true, false, null).getResult();
    return found == null ? null : found.buffer;
  }

  OCluster nodes(NodeKind kind) {
    return nodes.get(kind);
  }

  /**
   * Position of the next record of a cluster. What OrientDB 3.2.49 says counts a page of its
   * position map too much.
   */
  long next(NodeKind kind) throws IOException {
    long told = nodes.get(kind).getNextPosition();
    return Math.max(0, told - OClusterPositionMapBucket.MAX_ENTRIES);
  }

  /** What the graph remembers; null before it was written for the first time. */
  byte[] state() {
    return read(state.getId(), 0);
  }

  /** One atomic change of the database. */
  final class Change implements EdgeList.ChunkStore {
    private final OAtomicOperation operation;

    private Change(OAtomicOperation operation) {
      this.operation = operation;
    }

    OAtomicOperation operation() {
      return operation;
    }

    /** Creates a node's record where its identifier says. */
    void createNode(long node, byte[] record) {
      OCluster cluster = nodes.get(NodeIds.kind(node));
      long position = cluster.createRecord(record, 0, BLOB, null, operation).clusterPosition;
      if (position != NodeIds.position(node)) {
        throw new IllegalStateException(
            "OrientDB created record " + position + " in place of " + NodeIds.position(node));
      }
    }

    void updateNode(long node, byte[] record) {
      nodes
          .get(NodeIds.kind(node))
          .updateRecord(NodeIds.position(node), record, 0, BLOB, operation);
    }

    void deleteNode(long node) {
      nodes.get(NodeIds.kind(node)).deleteRecord(operation, NodeIds.position(node));
    }

    @Override
    public long create(byte[] chunk) {
      return chunks.createRecord(chunk, 0, BLOB, null, operation).clusterPosition;
    }

    @Override
    public void update(long position, byte[] chunk) {
      chunks.updateRecord(position, chunk, 0, BLOB, operation);
    }

    @Override
    public void delete(long position) {
      chunks.deleteRecord(operation, position);
    }

    void remember(byte[] what) {
      state.updateRecord(0, what, 0, BLOB, operation);
    }
  }

  /** Writes what the graph remembers for the first time. */
  void begin(byte[] what) {
    storage.createRecord(new ORecordId(state.getId(), -1), what, 0, BLOB, null);
    touched = true;
  }

  /** Makes a change, all of it or nothing. One thread at a time. */
  void change(Consumer<Change> action) throws IOException {
    if (!touched) {
      // only the storage's own operations mark the database as one that a crash leaves to recover
      ORecordId record = new ORecordId(state.getId(), 0);
      storage.updateRecord(record, true, state(), -1, BLOB, 0, null);
      touched = true;
    }
    storage
        .getAtomicOperationsManager()
        .executeInsideAtomicOperation(null, operation -> action.accept(new Change(operation)));
  }

  /** Makes the changes so far survive a crash of the machine. */
  void force() throws IOException {
    storage.getWALInstance().flush();
  }

  /** Writes all pages to their files and empties the log. */
  void checkpoint() {
    storage.synch();
    touched = false;
  }

  /** Does something with a session, outside of changes. */
  <T> T inSession(Function<ODatabaseDocumentInternal, T> action) {
    try (ODatabaseDocumentInternal session = databases.openNoAuthorization(DATABASE)) {
      return action.apply(session);
    } finally {
      ODatabaseRecordThreadLocal.instance().remove();
      touched = false;
    }
  }

  @Override
  public void close() {
    databases.close();
  }
}
