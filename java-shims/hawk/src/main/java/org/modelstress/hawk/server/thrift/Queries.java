package org.modelstress.hawk.server.thrift;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.hawk.api.HawkInstanceNotRunning;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.InvalidQuery;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.hawk.api.UnknownQueryLanguage;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.index.LiveIndex;
import org.modelstress.hawk.index.NotRunningException;
import org.modelstress.hawk.query.Language;
import org.modelstress.hawk.query.QueryScope;
import org.modelstress.hawk.query.ResultEncoder;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;
import org.modelstress.queries.QueryCancelledException;
import org.modelstress.thrift.results.FileName;
import org.modelstress.thrift.results.ResultValues;
import org.modelstress.thrift.server.ApiOptions;
import org.modelstress.thrift.server.QueriesUnderWay;
import org.modelstress.thrift.server.QueryText;

/** Runs queries with the options of Hawk's API and reports failures as it does. */
final class Queries implements AutoCloseable {
  /** Fits no file. */
  private static final List<String> NO_FILE = List.of("");

  private final LiveIndex index;
  private final String instance;
  private final QueriesUnderWay underWay;

  Queries(LiveIndex index, String instance, ApiOptions options) {
    underWay = new QueriesUnderWay(options);
    this.index = index;
    this.instance = instance;
  }

  /**
   * The language with this identifier, such as {@code org.hawk.epsilon.emc.EOLQueryEngine} or
   * {@code org.eclipse.hawk.epsilon.emc.EOLQueryEngine}.
   *
   * @throws UnknownQueryLanguage if there is none
   */
  static Language language(String id) throws UnknownQueryLanguage {
    Language language = Language.of(id);
    if (language != null) {
      return language;
    }
    throw new UnknownQueryLanguage().setQueryLanguage(id);
  }

  /** Refuses what could not be run at all. */
  void check(Language language, String text) throws TException {
    QueryText.check(text);
    try {
      index.check(language, text);
    } catch (NotRunningException e) {
      throw new HawkInstanceNotRunning().setInstanceName(instance);
    } catch (InvalidQueryException e) {
      throw new InvalidQuery(e.getMessage());
    }
  }

  /** Runs a query to its end. */
  QueryResult run(Language language, String text, HawkQueryOptions options) throws TException {
    try {
      return run(language, text, options, new Cancellation());
    } catch (QueryCancelledException e) {
      throw new FailedQuery("the query was cancelled");
    }
  }

  /** Runs a query that can be cancelled. */
  QueryResult run(
      Language language, String text, HawkQueryOptions options, Cancellation cancellation)
      throws TException, QueryCancelledException {
    return run(
        language,
        text,
        scope(options),
        cancellation,
        (result, reader) ->
            ResultValues.encode(
                result, new IndexElements(index.catalog(), index.graph(), reader), options));
  }

  /** Reads the graph as a query does: not while the index is stopped or updated. */
  <T> T read(BiFunction<Catalog, GraphReader, T> read) throws TException {
    if (underWay.isClosed()) {
      throw new FailedQuery("the server stops");
    }
    try {
      return underWay.run(new Cancellation(), () -> readNow(read));
    } catch (FailedQuery e) { // which the API does not have for what is no query
      throw new TApplicationException(TApplicationException.INTERNAL_ERROR, e.getReason());
    } catch (QueryCancelledException e) {
      throw new TApplicationException(TApplicationException.INTERNAL_ERROR, e.getMessage());
    }
  }

  private <T> T readNow(BiFunction<Catalog, GraphReader, T> read) throws TException {
    try {
      return index.read(reader -> read.apply(index.catalog(), reader));
    } catch (NotRunningException e) {
      throw new HawkInstanceNotRunning().setInstanceName(instance);
    } catch (RuntimeException e) {
      throw failed(e);
    }
  }

  private static FailedQuery failed(RuntimeException e) {
    return new FailedQuery(e.getMessage() == null ? e.toString() : e.getMessage());
  }

  private <T> T run(
      Language language,
      String text,
      QueryScope scope,
      Cancellation cancellation,
      ResultEncoder<T> encoder)
      throws TException, QueryCancelledException {
    QueryText.check(text);
    return underWay.run(cancellation, () -> answer(language, text, scope, cancellation, encoder));
  }

  private <T> T answer(
      Language language,
      String text,
      QueryScope scope,
      Cancellation cancellation,
      ResultEncoder<T> encoder)
      throws TException, QueryCancelledException {
    try {
      return index.query(language, text, scope, cancellation, encoder);
    } catch (NotRunningException e) {
      throw new HawkInstanceNotRunning().setInstanceName(instance);
    } catch (InvalidQueryException e) {
      throw new InvalidQuery(e.getMessage());
    } catch (FailedQueryException e) {
      throw new FailedQuery(e.getMessage());
    } catch (RuntimeException e) { // of the database, or of encoding a result
      throw failed(e);
    }
  }

  private QueryScope scope(HawkQueryOptions options) {
    List<String> files = paths(options);
    String namespaces = options.getDefaultNamespaces();
    if (files.isEmpty() && (namespaces == null || namespaces.isBlank())) {
      return QueryScope.ALL;
    }
    List<String> uris =
        namespaces == null
            ? List.of()
            : Arrays.stream(namespaces.split(",")).map(String::strip).toList();
    return new QueryScope(files, uris);
  }

  /** Paths of the files that the patterns for repository and file fit; empty for all files. */
  List<String> paths(HawkQueryOptions options) {
    String repository = options.getRepositoryPattern();
    List<String> patterns = options.getFilePatterns();
    boolean everywhere = repository == null || repository.equals("*");
    boolean everything = patterns == null || patterns.isEmpty() || patterns.contains("*");
    if (everywhere && everything) {
      return List.of();
    }
    List<String> found = new ArrayList<>();
    for (Path path : index.files()) {
      FileName file = FileName.of(path.toString());
      if ((everywhere || FileName.fits(repository, file.repository()))
          && (everything || patterns.stream().anyMatch(file::matches))) {
        found.add(path.toString());
      }
    }
    return found.isEmpty() ? NO_FILE : found;
  }

  /** Runs something else with a client's text in it, within the bounds of queries. */
  <T> T bounded(Cancellation cancellation, QueriesUnderWay.Work<T> work)
      throws TException, QueryCancelledException {
    return underWay.run(cancellation, work);
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
