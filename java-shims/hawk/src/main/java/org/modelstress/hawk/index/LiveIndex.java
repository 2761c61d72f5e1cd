package org.modelstress.hawk.index;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.query.CancelledSignal;
import org.modelstress.hawk.query.Fidelity;
import org.modelstress.hawk.query.Language;
import org.modelstress.hawk.query.QueryEngine;
import org.modelstress.hawk.query.QueryScope;
import org.modelstress.hawk.query.ResultEncoder;
import org.modelstress.models.ModelException;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;
import org.modelstress.queries.QueryCancelledException;

/**
 * An index that is queried and kept up to date: any number of queries at once, or one update. For
 * any number of threads.
 */
public final class LiveIndex implements AutoCloseable {
  /** How long an update waits for the queries under way. */
  private static final long QUERIES_END_MS = 60_000;

  /** How long closing waits for the queries under way, which are cancelled first. */
  private static final long CLOSE_MS = 2_000;

  /** What the index does. */
  public enum State {
    RUNNING,
    STOPPED,
    UPDATING
  }

  /** One update; runs {@code begin} before anything becomes durable; returns what it did. */
  private interface Step {
    String run(Runnable begin) throws ModelException;
  }

  private final IndexFolder folder;
  private final Graph graph;
  private final Fidelity fidelity;
  private final Synchronisation synchronisation;
  private final Gate gate = new Gate();
  private final Set<Cancellation> underWay = ConcurrentHashMap.newKeySet();
  // written by updates only, which exclude queries; volatile for catalog() and lastUpdate()
  private volatile Catalog catalog;
  private volatile QueryEngine engine;
  private volatile UpdateCounts lastUpdate = UpdateCounts.NONE;

  private LiveIndex(IndexFolder folder, Graph graph, Fidelity fidelity) {
    this.folder = folder;
    this.graph = graph;
    this.fidelity = fidelity;
    this.synchronisation = new Synchronisation(folder, graph);
    readCatalog();
  }

  /**
   * Opens the index in a folder (see {@link IndexFolder}).
   *
   * @param cacheMegabytes bound of the database's page or disk cache, MiB
   * @throws GraphException if there is none, or it is damaged, in use or half updated
   */
  public static LiveIndex open(
      Backend backend, Path folder, int cacheMegabytes, Fidelity fidelity) {
    IndexFolder files = new IndexFolder(folder);
    if (files.isDirty()) {
      throw new GraphException(
          "Index " + folder + " was left in the middle of an update; load it again.", null);
    }
    Graph graph = backend.open(files.graph(), cacheMegabytes);
    try {
      return new LiveIndex(files, graph, fidelity);
    } catch (RuntimeException e) {
      graph.close();
      throw e;
    }
  }

  private void readCatalog() {
    catalog = Catalog.read(graph);
    engine = new QueryEngine(graph, catalog, fidelity);
  }

  /** What the index does now. */
  public State state() {
    return gate.state();
  }

  /** One sentence on the last thing that happened. */
  public String message() {
    return gate.message();
  }

  /** The graph; for identifiers. */
  public Graph graph() {
    return graph;
  }

  /** Metamodels, types and declarations as they are now. */
  public Catalog catalog() {
    return catalog;
  }

  /** What the last {@link #synchronise} took. */
  public UpdateCounts lastUpdate() {
    return lastUpdate;
  }

  /**
   * Runs a query.
   *
   * @throws NotRunningException while the index is stopped or updating
   */
  public <T> T query(
      Language language,
      String text,
      QueryScope scope,
      Cancellation cancellation,
      ResultEncoder<T> encoder)
      throws NotRunningException,
          InvalidQueryException,
          FailedQueryException,
          QueryCancelledException {
    underWay.add(cancellation); // first, so that closing misses nobody who came in
    try {
      Gate.Visit visit = gate.enter();
      try {
        return engine.run(language, text, scope, cancellation, encoder);
      } finally {
        gate.leave(visit);
      }
    } finally {
      underWay.remove(cancellation);
    }
  }

  /**
   * Reads the graph as a query does, in a transaction of its own.
   *
   * @throws NotRunningException while the index is stopped or updating
   */
  public <T> T read(Function<GraphReader, T> read) throws NotRunningException {
    Gate.Visit visit = gate.enter();
    try (GraphReader reader = graph.read()) {
      return read.apply(reader);
    } finally {
      gate.leave(visit);
    }
  }

  /**
   * Parses a query only.
   *
   * @throws NotRunningException while the index is stopped or updating
   * @throws InvalidQueryException if the text is not a query
   */
  public void check(Language language, String text)
      throws NotRunningException, InvalidQueryException {
    Gate.Visit visit = gate.enter();
    try {
      engine.check(language, text);
    } finally {
      gate.leave(visit);
    }
  }

  /** Answers no more queries, after those under way. */
  public void stop() {
    gate.stop("The index is stopped.", QUERIES_END_MS);
  }

  /** Answers again, unless an update failed half way: then {@link #message} says so. */
  public void start() {
    gate.start();
  }

  /** The indexed files. */
  public List<Path> files() {
    try (GraphReader reader = graph.read()) {
      return FileNode.all(graph, reader).stream().map(FileNode::path).toList();
    }
  }

  /**
   * Brings the index up to date with its model. When its files are as they were, nothing is done;
   * of a model of several, only those that changed are read, unless others refer to them.
   *
   * @param wait whether to return only when that is done; a failure is then thrown, otherwise it is
   *     told by {@link #message}
   * @throws NotRunningException while the index is stopped or updating
   * @throws IllegalStateException if the model cannot be read; the index is as it was
   */
  public void synchronise(boolean wait) throws NotRunningException {
    gate.beginUpdate("reading the model again");
    if (wait) {
      run(this::updateModel);
      return;
    }
    Thread thread =
        new Thread(
            () -> {
              try {
                run(this::updateModel);
              } catch (NotRunningException | RuntimeException e) {
                System.err.println("hawk: " + gate.message());
              }
            },
            "hawk-synchronise");
    thread.setDaemon(true);
    thread.start();
  }

  private String updateModel(Runnable begin) throws ModelException {
    Synchronisation.Outcome outcome = synchronisation.run(catalog, begin);
    lastUpdate = outcome.counts();
    return outcome.message();
  }

  /** Runs a step of an update that has begun, and ends the update. */
  private void run(Step step) throws NotRunningException {
    String failure = "it ended early";
    boolean done = false;
    try {
      if (!gate.awaitQueries(QUERIES_END_MS)) {
        failure = "queries under way did not end within " + QUERIES_END_MS / 1000 + " s";
        throw new NotRunningException("Nothing was updated: " + failure + ".");
      }
      String outcome = step.run(folder::markDirty);
      if (folder.isDirty()) {
        readCatalog();
        folder.markClean();
      }
      done = true;
      gate.endUpdate(outcome);
    } catch (ModelException e) {
      failure = e.getMessage();
      throw new IllegalStateException(e.getMessage(), e);
    } catch (RuntimeException e) {
      failure = String.valueOf(e.getMessage());
      throw e;
    } finally {
      if (!done && folder.isDirty()) {
        gate.breakDown("An update failed half way (" + failure + "); load the index again.");
      } else if (!done) {
        gate.endUpdate("Nothing was updated: " + failure);
      }
    }
  }

  /**
   * Adds a derived or indexed attribute and computes it.
   *
   * @throws IllegalArgumentException if the type or attribute is unknown, the logic is malformed or
   *     the attribute is declared already; one sentence
   */
  public void declare(AttributeDeclaration declaration) throws NotRunningException {
    gate.beginUpdate("computing " + declaration.name());
    run(begin -> declare(declaration, new Cancellation(), begin));
  }

  /**
   * The same for a client, whose logic may be endless.
   *
   * @throws QueryCancelledException if it was cancelled; nothing was declared
   */
  public void declare(AttributeDeclaration declaration, Cancellation cancellation)
      throws NotRunningException, QueryCancelledException {
    gate.beginUpdate("computing " + declaration.name());
    run(begin -> declare(declaration, cancellation, begin));
    if (Attributes.isMissing(declaration, catalog)) {
      throw new QueryCancelledException();
    }
  }

  private String declare(
      AttributeDeclaration declaration, Cancellation cancellation, Runnable begin) {
    Attributes.check(declaration, List.of(), graph, catalog);
    begin.run();
    try {
      String failures = Attributes.declare(List.of(declaration), graph, cancellation, done -> {});
      return failures == null ? declaration.name() + " was declared." : failures;
    } catch (CancelledSignal e) {
      Attributes.withdraw(declaration, graph);
      return declaration.name() + " was not declared: computing it was cancelled.";
    }
  }

  /**
   * Removes a declaration with the same kind, metamodel, type and name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public void withdraw(AttributeDeclaration declaration) throws NotRunningException {
    gate.beginUpdate("withdrawing " + declaration.name());
    run(
        begin -> {
          AttributeDeclaration known = Attributes.find(declaration, catalog);
          begin.run();
          Attributes.withdraw(known, graph);
          return declaration.name() + " was withdrawn.";
        });
  }

  /**
   * Adds a metamodel.
   *
   * @param ecore the package as XMI text
   * @throws IllegalArgumentException if it is not one, or another with its nsURI is registered
   */
  public void registerMetamodel(String ecore) throws NotRunningException {
    gate.beginUpdate("registering a metamodel");
    run(
        begin ->
            "Metamodel "
                + RegisteredMetamodels.add(ecore, graph, catalog, begin)
                + " was registered.");
  }

  /**
   * Removes a metamodel that has no elements.
   *
   * @throws IllegalArgumentException if it is unknown or in use
   */
  public void unregisterMetamodel(String nsUri) throws NotRunningException {
    gate.beginUpdate("removing a metamodel");
    run(
        begin -> {
          RegisteredMetamodels.remove(nsUri, graph, catalog, begin);
          return "Metamodel " + nsUri + " was removed.";
        });
  }

  /** Cancels the queries under way and closes the graph. */
  @Override
  public void close() {
    gate.stop("The index is closed.", 0);
    underWay.forEach(Cancellation::cancel);
    gate.stop("The index is closed.", CLOSE_MS);
    graph.close();
  }
}
