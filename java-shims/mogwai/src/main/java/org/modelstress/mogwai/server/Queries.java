package org.modelstress.mogwai.server;

import java.util.List;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.InvalidQuery;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.mogwai.gremlin.QueryEngine;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;
import org.modelstress.queries.QueryCancelledException;
import org.modelstress.thrift.results.ResultValues;
import org.modelstress.thrift.server.ApiOptions;
import org.modelstress.thrift.server.QueriesUnderWay;
import org.modelstress.thrift.server.QueryText;

/** Runs OCL queries with the options of Hawk's API and reports failures as it does. */
final class Queries implements AutoCloseable {
  private static final String EVERYTHING = "*";

  private final QueryEngine engine;
  private final NeoElements elements;
  private final QueriesUnderWay underWay;

  Queries(QueryEngine engine, NeoElements elements, ApiOptions options) {
    this.underWay = new QueriesUnderWay(options);
    this.engine = engine;
    this.elements = elements;
  }

  /** Refuses what could not be run at all. */
  void check(String text) throws InvalidQuery {
    QueryText.check(text);
    try {
      engine.check(text);
    } catch (InvalidQueryException e) {
      throw new InvalidQuery(e.getMessage());
    }
  }

  /** Runs a query to its end. */
  QueryResult run(String text, HawkQueryOptions options) throws TException {
    try {
      return run(text, options, new Cancellation());
    } catch (QueryCancelledException e) {
      throw new FailedQuery("the query was cancelled");
    }
  }

  /** Runs a query that can be cancelled. */
  QueryResult run(String text, HawkQueryOptions options, Cancellation cancellation)
      throws TException, QueryCancelledException {
    QueryText.check(text);
    return underWay.run(cancellation, () -> answer(text, options, cancellation));
  }

  /** Makes an answer without a query, within a query's bounds. */
  <T> T bounded(QueriesUnderWay.Work<T> work) throws TException {
    try {
      return underWay.run(new Cancellation(), work);
    } catch (FailedQuery e) { // which the API does not have for what is no query
      throw new TApplicationException(TApplicationException.INTERNAL_ERROR, e.getReason());
    } catch (QueryCancelledException e) {
      throw new TApplicationException(TApplicationException.INTERNAL_ERROR, e.getMessage());
    }
  }

  private QueryResult answer(String text, HawkQueryOptions options, Cancellation cancellation)
      throws TException, QueryCancelledException {
    try {
      checkScope(options);
      return ResultValues.encode(engine.run(text, cancellation), elements, options);
    } catch (InvalidQueryException e) {
      throw new InvalidQuery(e.getMessage());
    } catch (FailedQueryException e) {
      throw new FailedQuery(e.getMessage());
    } catch (RuntimeException e) { // of the database, or of encoding a result
      throw new FailedQuery(e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }

  /** Refuses a part of the model: there is one, without files; OCL itself names packages. */
  static void checkScope(HawkQueryOptions options) throws FailedQuery {
    String repository = options.getRepositoryPattern();
    List<String> files = options.getFilePatterns();
    boolean everywhere = repository == null || repository.equals(EVERYTHING);
    if (!everywhere || files != null && !files.isEmpty() && !files.contains(EVERYTHING)) {
      throw new FailedQuery(
          "this server has one model and no files: leave repositoryPattern and filePatterns at *");
    }
    String namespaces = options.getDefaultNamespaces();
    if (namespaces != null && !namespaces.isBlank()) {
      throw new FailedQuery(
          "a query names the packages of its classes, as in package::Class:"
              + " leave defaultNamespaces empty");
    }
  }

  /** Ends queries that take too long or whose client has gone. */
  void tidy() {
    underWay.tidy();
  }

  /** Ends what runs and whatever begins later. */
  @Override
  public void close() {
    underWay.close();
  }
}
