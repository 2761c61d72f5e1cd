package org.modelstress.hawk.query;

import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.graph.Graph;

/** Answers EOL and EPL queries over the graph. For any number of threads. */
public final class QueryEngine {
  /** An engine for a graph whose catalog does not change. */
  public QueryEngine(Graph graph, Catalog catalog, Fidelity fidelity) {}

  /**
   * Runs a query in a read transaction of its own.
   *
   * @throws InvalidQueryException if the text is not a query
   * @throws FailedQueryException if it fails while it runs
   * @throws QueryCancelledException if it was cancelled
   */
  public <T> T run(
      Language language,
      String text,
      QueryScope scope,
      Cancellation cancellation,
      ResultEncoder<T> encoder)
      throws InvalidQueryException, FailedQueryException, QueryCancelledException {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Parses a query only.
   *
   * @throws InvalidQueryException if the text is not a query
   */
  public void check(Language language, String text) throws InvalidQueryException {
    throw new UnsupportedOperationException("not built yet");
  }
}
