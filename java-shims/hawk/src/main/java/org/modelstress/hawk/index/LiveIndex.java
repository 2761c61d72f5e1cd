package org.modelstress.hawk.index;

import java.nio.file.Path;
import java.util.List;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.query.Cancellation;
import org.modelstress.hawk.query.FailedQueryException;
import org.modelstress.hawk.query.Fidelity;
import org.modelstress.hawk.query.InvalidQueryException;
import org.modelstress.hawk.query.Language;
import org.modelstress.hawk.query.QueryCancelledException;
import org.modelstress.hawk.query.QueryScope;
import org.modelstress.hawk.query.ResultEncoder;

/**
 * An index that is queried and kept up to date: any number of queries at once, or one update. For
 * any number of threads.
 */
public final class LiveIndex implements AutoCloseable {
  /** What the index does. */
  public enum State {
    RUNNING,
    STOPPED,
    UPDATING
  }

  private LiveIndex() {}

  /** Opens the graph in a folder. */
  public static LiveIndex open(
      Backend backend, Path folder, int cacheMegabytes, Fidelity fidelity) {
    throw new UnsupportedOperationException("not built yet");
  }

  /** What the index does now. */
  public State state() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** One sentence on the last thing that happened. */
  public String message() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** The graph; for identifiers. */
  public Graph graph() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Metamodels, types and declarations as they are now. */
  public Catalog catalog() {
    throw new UnsupportedOperationException("not built yet");
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
    throw new UnsupportedOperationException("not built yet");
  }

  /** Answers no more queries, after those under way. */
  public void stop() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Answers again. */
  public void start() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** The indexed files. */
  public List<Path> files() {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Brings the index up to date with its files.
   *
   * @param wait whether to return only when that is done; a failure is then thrown, otherwise it is
   *     told by {@link #message}
   * @throws NotRunningException while the index is stopped
   */
  public void synchronise(boolean wait) throws NotRunningException {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Adds a derived or indexed attribute and computes it.
   *
   * @throws IllegalArgumentException if the type or attribute is unknown, the logic is malformed or
   *     the attribute is declared already; one sentence
   */
  public void declare(AttributeDeclaration declaration) throws NotRunningException {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Removes a declaration with the same kind, metamodel, type and name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public void withdraw(AttributeDeclaration declaration) throws NotRunningException {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Adds a metamodel.
   *
   * @param ecore the package as XMI text
   * @throws IllegalArgumentException if it is not one, or another with its nsURI is registered
   */
  public void registerMetamodel(String ecore) throws NotRunningException {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Removes a metamodel that has no elements.
   *
   * @throws IllegalArgumentException if it is unknown or in use
   */
  public void unregisterMetamodel(String nsUri) throws NotRunningException {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("not built yet");
  }
}
