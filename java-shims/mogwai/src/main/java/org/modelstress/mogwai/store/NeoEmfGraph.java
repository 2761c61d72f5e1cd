package org.modelstress.mogwai.store;

import com.tinkerpop.blueprints.impls.neo4j.Neo4jGraph;
import fr.inria.atlanmod.neoemf.data.InvalidDataStoreException;
import fr.inria.atlanmod.neoemf.data.blueprints.BlueprintsPersistenceBackend;
import fr.inria.atlanmod.neoemf.data.blueprints.BlueprintsPersistenceBackendFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.emf.ecore.EPackage;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.kernel.StoreLockException;

/** A database opened through NeoEMF's own API. */
public final class NeoEmfGraph implements ModelGraph {
  private static final long CLOSE_DEADLINE_MS = 3_000;

  /**
   * What this process has open. Asking the operating system for a lock that this process has
   * already would end that lock.
   */
  private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final BlueprintsPersistenceBackend backend;
  private final Neo4jGraph graph;
  private final EPackage.Registry packages;

  private NeoEmfGraph(Path path, BlueprintsPersistenceBackend backend, EPackage.Registry packages) {
    this.path = path;
    this.backend = backend;
    this.graph = (Neo4jGraph) backend.getGraph().getBaseGraph();
    this.packages = packages;
  }

  /**
   * Opens a database. Neo4j writes into the folder even when nothing is changed; open a copy where
   * that matters.
   *
   * @param folder of the database, wherever it was written
   * @param packages metamodels that the model may use, by nsURI
   * @throws StoreException if the database is missing, damaged, of another version or in use
   */
  public static NeoEmfGraph open(Path folder, EPackage.Registry packages, StoreOptions options) {
    return open(folder, packages, options, false);
  }

  /**
   * The same, for a database that a killed process may have left open.
   *
   * @param recover whether Neo4j may mend what was not closed properly, from its log
   */
  public static NeoEmfGraph open(
      Path folder, EPackage.Registry packages, StoreOptions options, boolean recover) {
    DatabaseFolder database = new DatabaseFolder(folder);
    if (!OPEN.add(database.path())) {
      throw database.inUse(null);
    }
    try {
      database.check(recover);
      return open(database, packages, options);
    } catch (StoreException e) {
      OPEN.remove(database.path());
      throw e;
    }
  }

  private static NeoEmfGraph open(
      DatabaseFolder database, EPackage.Registry packages, StoreOptions options) {
    NeoEmfGraph opened = new NeoEmfGraph(database.path(), backend(database, options), packages);
    boolean complete = false;
    try {
      if (!opened.graph.getVertices(Schema.ID, Schema.ROOT).iterator().hasNext()) {
        throw new StoreException(
            "The database in " + database.path() + " holds no NeoEMF model; load it again.", null);
      }
      complete = true;
      return opened;
    } finally {
      if (!complete) {
        opened.close();
      }
    }
  }

  private static BlueprintsPersistenceBackend backend(
      DatabaseFolder database, StoreOptions options) {
    Map<String, Object> settings = database.options(options);
    try {
      return (BlueprintsPersistenceBackend)
          BlueprintsPersistenceBackendFactory.getInstance()
              .createPersistentBackend(database.path().toFile(), settings);
    } catch (InvalidDataStoreException | RuntimeException e) {
      throw failure(database, e);
    }
  }

  /** Why Neo4j or NeoEMF could not open a database, in one sentence. */
  static StoreException failure(DatabaseFolder database, Throwable thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null && !(cause instanceof StoreLockException)) {
      cause = cause.getCause();
    }
    if (cause instanceof StoreLockException) {
      return database.inUse(thrown);
    }
    String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    return new StoreException(
        "The database in " + database.path() + " cannot be opened, load it again: " + reason,
        thrown);
  }

  @Override
  public Neo4jGraph graph() {
    return graph;
  }

  @Override
  public GraphDatabaseService database() {
    return graph.getRawGraph();
  }

  @Override
  public EPackage.Registry packages() {
    return packages;
  }

  /** Waits three seconds at most; what is still under way then ends with the process. */
  @Override
  public void close() {
    if (backend.isClosed()) {
      return;
    }
    Thread closing = new Thread(backend::close, "close-neoemf");
    closing.setDaemon(true);
    closing.start();
    try {
      closing.join(CLOSE_DEADLINE_MS);
      if (!closing.isAlive()) {
        OPEN.remove(path);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
