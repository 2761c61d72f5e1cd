package org.modelstress.hawk.graph.orient;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.GraphWriter;
import org.modelstress.hawk.graph.IndexType;

/** The graph in an OrientDB database. */
final class OrientGraph implements Graph {
  /** A writer waits so long for another to end, in seconds. */
  private static final int WRITER_DEADLINE = 120;

  private final GraphFolder folder;
  private final OrientStore store;
  private final RecordCache cache;
  private final Tokens tokens = new Tokens();
  private final Semaphore writing = new Semaphore(1);
  private volatile Map<String, OrientIndex> indices = Map.of();
  private int nextIndex;
  private int savedNames;
  private boolean closed;

  /**
   * Opens the graph of a database.
   *
   * @param folder closed with the graph, as is the database
   * @param cacheBytes bound of the record cache
   */
  OrientGraph(GraphFolder folder, OrientStore store, long cacheBytes) throws Exception {
    this.folder = folder;
    this.store = store;
    this.cache = new RecordCache(cacheBytes);
    GraphState state = GraphState.read(store.state());
    state.names().forEach(tokens::number);
    savedNames = state.names().size();
    nextIndex = state.nextIndex();
    Map<String, OrientIndex> opened = new LinkedHashMap<>();
    for (GraphState.Index index : state.indices()) {
      opened.put(index.name(), OrientIndex.open(store, index.name(), index.type(), index.number()));
    }
    indices = Map.copyOf(opened);
  }

  /** A failure of the database as one sentence. */
  GraphException failed(String action, Throwable cause) {
    return new GraphException(
        "OrientDB failed to " + action + " the graph in " + folder.path() + ".", cause);
  }

  OrientStore store() {
    return store;
  }

  Tokens tokens() {
    return tokens;
  }

  Collection<OrientIndex> allIndices() {
    return indices.values();
  }

  OrientIndex index(String name) {
    OrientIndex index = indices.get(name);
    if (index == null) {
      throw new IllegalArgumentException("there is no index " + name);
    }
    return index;
  }

  /** A node's record as it was committed, or null. */
  byte[] record(long node) {
    byte[] record = cache.get(node);
    if (record != null) {
      return record;
    }
    if (!NodeIds.possible(node)) {
      return null;
    }
    long since = cache.version();
    try {
      record = store.node(node);
    } catch (RuntimeException e) {
      throw failed("read node " + idText(node) + " of", e);
    }
    if (record != null) {
      cache.put(node, record, since);
    }
    return record;
  }

  byte[] chunk(long position) {
    byte[] chunk;
    try {
      chunk = store.chunk(position);
    } catch (RuntimeException e) {
      throw failed("read a list of neighbours of", e);
    }
    if (chunk == null) {
      throw failed("find a list of neighbours of", null);
    }
    return chunk;
  }

  /** Makes the changes of a transaction durable. */
  void commit(WriteSet changes) {
    cache.count();
    try {
      store.change(
          change -> {
            changes.apply(change, indices.values());
            if (tokens.names().size() > savedNames) {
              change.remember(state().write());
            }
          });
      store.force();
      savedNames = tokens.names().size();
    } catch (Exception e) {
      throw failed("write", e);
    } finally {
      changes.nodes().forEach(node -> cache.forget(node.id));
      cache.count();
    }
  }

  private GraphState state() {
    return GraphState.of(tokens.names(), indices.values(), nextIndex);
  }

  @Override
  public String idText(long node) {
    return store.ids().text(node);
  }

  @Override
  public long parseId(String text) {
    return store.ids().parse(text);
  }

  @Override
  public int label(String name) {
    return tokens.number(name);
  }

  @Override
  public int key(String name) {
    return tokens.number(name);
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
          more.put(name, OrientIndex.create(store, name, type, nextIndex++));
          indices = Map.copyOf(more);
          saveState();
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
          saveState();
          index.drop();
        });
  }

  private void saveState() throws Exception {
    int names = tokens.names().size();
    store.change(change -> change.remember(state().write()));
    store.force();
    savedNames = names;
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

  @Override
  public GraphReader read() {
    return new OrientReader(this);
  }

  @Override
  public GraphWriter write() {
    begin();
    try {
      return new OrientWriter(this);
    } catch (Exception e) {
      end();
      throw failed("begin an update of", e);
    }
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      store.close();
    } catch (RuntimeException e) {
      throw failed("close", e);
    } finally {
      folder.close();
    }
  }
}
