package org.modelstress.hawk.query;

import java.util.List;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.query.epsilon.EpsilonText;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;
import org.modelstress.queries.QueryCancelledException;

/** Answers EOL and EPL queries over the graph. For any number of threads. */
public final class QueryEngine {
  private final Graph graph;
  private final GraphTokens tokens;
  private final Fidelity fidelity;
  private final ParsedQueries parsed;

  /** An engine for a graph whose catalog does not change. */
  public QueryEngine(Graph graph, Catalog catalog, Fidelity fidelity) {
    this.graph = graph;
    this.fidelity = fidelity;
    tokens = new GraphTokens(graph, catalog);
    parsed = new ParsedQueries(tokens);
  }

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
    TypeNames names = new TypeNames(tokens.catalog(), scope.defaultNamespaces());
    ParsedQuery query =
        fidelity == Fidelity.PAPER
            ? ParsedQuery.plain(language, text, names, fidelity)
            : parsed.get(language, text, names);
    try (GraphReader reader = graph.read()) {
      GraphAccess access = new GraphAccess(tokens, reader, scope, cancellation, null);
      return encoder.encode(query.run(access), reader);
    } catch (CancelledSignal e) {
      throw new QueryCancelledException();
    } catch (GraphException e) {
      throw new FailedQueryException(e.getMessage(), e);
    } catch (StackOverflowError e) {
      throw new FailedQueryException("The query failed: it is nested too deeply", e);
    } catch (OutOfMemoryError e) {
      throw new FailedQueryException("The query failed: it needs more memory than there is", e);
    }
  }

  /**
   * Parses a query only.
   *
   * @throws InvalidQueryException if the text is not a query
   */
  public void check(Language language, String text) throws InvalidQueryException {
    EpsilonText.parse(language, text, new TypeNames(tokens.catalog(), List.of()), fidelity);
  }
}
