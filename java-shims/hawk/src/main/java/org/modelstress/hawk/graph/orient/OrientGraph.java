package org.modelstress.hawk.graph.orient;

import com.orientechnologies.orient.core.db.ODatabaseDocumentInternal;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.GraphWriter;
import org.modelstress.hawk.graph.IndexType;
import org.modelstress.hawk.graph.NodeKind;

/** The graph in an OrientDB database. */
final class OrientGraph implements Graph {
  /** A writer waits so long for another to end, in seconds. */
  private static final int WRITER_DEADLINE = 120;

  private final GraphFolder folder;
  private final OrientDatabase database;
  private final SessionPool sessions;
  private final FieldNames names = new FieldNames();
  private final Semaphore writing = new Semaphore(1);

  /** Position of the next record of each kind; only the writer uses it. */
  private final long[] next = new long[NodeKind.values().length];

  private volatile Map<String, OrientIndex> indices;
  private boolean closed;

  /**
   * Opens the graph of a database.
   *
   * @param folder closed with the graph, as is the database
   */
  OrientGraph(GraphFolder folder, OrientDatabase database) throws IOException {
    this.folder = folder;
    this.database = database;
    this.sessions = new SessionPool(database);
    for (NodeKind kind : NodeKind.values()) {
      next[kind.ordinal()] = database.next(kind);
    }
    indices = database.inSession(OrientGraph::readIndices);
  }

  private static Map<String, OrientIndex> readIndices(ODatabaseDocumentInternal session) {
    return OrientIndex.all(session).stream()
        .collect(Collectors.toUnmodifiableMap(OrientIndex::name, Function.identity()));
  }

  /** A failure of the database as one sentence. */
  GraphException failed(String action, Throwable cause) {
    return new GraphException(
        "OrientDB failed to " + action + " the graph in " + folder.path() + ".", cause);
  }

  NodeIds ids() {
    return database.ids();
  }

  OrientDatabase database() {
    return database;
  }

  FieldNames names() {
    return names;
  }

  OrientIndex index(String name) {
    OrientIndex index = indices.get(name);
    if (index == null) {
      throw new IllegalArgumentException("there is no index " + name);
    }
    return index;
  }

  /** Position of the next record of each kind. */
  long[] next() {
    return next.clone();
  }

  /** Makes what a writer committed durable, and known to all sessions. */
  void committed(long[] nextPositions) throws IOException {
    System.arraycopy(nextPositions, 0, next, 0, next.length);
    sessions.committed();
    database.force();
  }

  @Override
  public String idText(long node) {
    return database.ids().text(node);
  }

  @Override
  public long parseId(String text) {
    return database.ids().parse(text);
  }

  @Override
  public int label(String name) {
    return names.token(name);
  }

  @Override
  public int key(String name) {
    return names.token(name);
  }

  @Override
  public void createIndex(String name, IndexType type) {
    alone(
        "create an index of",
        () -> {
          if (indices.containsKey(name)) {
            throw new IllegalArgumentException("there is an index " + name + " already");
          }
          Map<String, OrientIndex> more = new TreeMap<>(indices);
          more.put(name, database.inSession(session -> OrientIndex.create(session, name, type)));
          database.force();
          indices = Map.copyOf(more);
        });
  }

  @Override
  public void dropIndex(String name) {
    alone(
        "drop an index of",
        () -> {
          OrientIndex index = index(name);
          Map<String, OrientIndex> fewer = new TreeMap<>(indices);
          fewer.remove(name);
          indices = Map.copyOf(fewer);
          database.inSession(
              session -> {
                index.drop(session);
                return null;
              });
          database.force();
        });
  }

  /** Something that may fail. */
  private interface Action {
    void run() throws Exception;
  }

  private void alone(String what, Action action) {
    begin();
    try {
      action.run();
    } catch (GraphException | IllegalArgumentException e) {
      throw e;
    } catch (Exception e) {
      throw failed(what, e);
    } finally {
      writing.release();
    }
  }

  private void begin() {
    try {
      if (!writing.tryAcquire(WRITER_DEADLINE, TimeUnit.SECONDS)) {
        throw new GraphException(
            "Another update of the graph in "
                + folder.path()
                + " did not end within "
                + WRITER_DEADLINE
                + " s.",
            null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed("wait for another update of", e);
    }
  }

  /** A writer has ended. */
  void end() {
    writing.release();
  }

  @Override
  public Set<String> indices() {
    return new TreeSet<>(indices.keySet());
  }

  private SessionPool.Session lend() {
    try {
      return sessions.lend();
    } catch (GraphException e) {
      throw e;
    } catch (RuntimeException e) {
      throw failed("open a session of", e);
    }
  }

  @Override
  public GraphReader read() {
    return new OrientReader(this, lend());
  }

  @Override
  public GraphWriter write() {
    begin();
    SessionPool.Session session = null;
    try {
      session = lend();
      return new OrientWriter(this, session);
    } catch (RuntimeException e) {
      if (session != null) {
        session.close();
      }
      end();
      throw e instanceof GraphException known ? known : failed("begin an update of", e);
    }
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      sessions.close();
      database.close();
    } catch (RuntimeException e) {
      throw failed("close", e);
    } finally {
      folder.close();
    }
  }
}
