package org.modelstress.mogwai.server;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.apache.thrift.TProcessor;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.hawk.api.HawkInstance;
import org.modelstress.hawk.api.HawkInstanceNotFound;
import org.modelstress.hawk.api.HawkPlugin;
import org.modelstress.hawk.api.HawkPluginCategory;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.HawkState;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.QueryReport;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.hawk.api.UnknownQueryLanguage;
import org.modelstress.mogwai.driver.MogwaiDriver;
import org.modelstress.mogwai.gremlin.QueryEngine;
import org.modelstress.mogwai.store.ModelGraph;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.QueryCancelledException;
import org.modelstress.thrift.results.ElementEncoder;
import org.modelstress.thrift.results.ResultValues;
import org.modelstress.thrift.server.ApiOptions;
import org.modelstress.thrift.server.ApiProcessor;
import org.modelstress.thrift.server.AsyncQueries;
import org.modelstress.thrift.server.Endpoints;
import org.neo4j.graphdb.Node;

/** Hawk's API over one model, which is its only instance. For any number of threads. */
final class MogwaiService extends AbsentMethods implements Endpoints.Service {
  private final String instance;
  private final NeoElements elements;
  private final KnownTypes types;
  private final Queries queries;
  private final AsyncQueries async;

  /**
   * Serves a model.
   *
   * @param graph stays its caller's, who closes it after the service
   * @param instance its name to clients
   */
  MogwaiService(ModelGraph graph, QueryEngine engine, String instance, ApiOptions options) {
    this.instance = instance;
    elements = new NeoElements(graph);
    types = new KnownTypes(graph.packages());
    queries = new Queries(engine, elements, options);
    async = new AsyncQueries(options);
  }

  @Override
  public TProcessor processor() {
    return new ApiProcessor(this);
  }

  @Override
  public void tidy() {
    queries.tidy();
    async.expire();
  }

  private void find(String name) throws HawkInstanceNotFound {
    if (!instance.equals(name)) {
      throw new HawkInstanceNotFound().setInstanceName(name);
    }
  }

  private static void checkLanguage(String language) throws UnknownQueryLanguage {
    if (!MogwaiDriver.OCL.equals(language)) {
      throw new UnknownQueryLanguage().setQueryLanguage(language);
    }
  }

  // the instance

  @Override
  public List<String> listBackends() {
    return List.of(MogwaiServer.BACKEND);
  }

  @Override
  public List<String> listPlugins() {
    return listPluginDetails().stream().map(HawkPlugin::getName).toList();
  }

  @Override
  public List<HawkPlugin> listPluginDetails() {
    return List.of(
        new HawkPlugin(MogwaiServer.BACKEND, "NeoEMF/Graph on Neo4j", HawkPluginCategory.BACKEND),
        new HawkPlugin(
            MogwaiDriver.OCL, "OCL compiled to Gremlin", HawkPluginCategory.QUERY_ENGINE));
  }

  @Override
  public List<HawkInstance> listInstances() {
    return List.of(new HawkInstance(instance, HawkState.RUNNING, ""));
  }

  @Override
  public List<String> listMetamodels(String name) throws TException {
    find(name);
    return types.uris();
  }

  @Override
  public List<String> listTypeNames(String name, String metamodel) throws TException {
    find(name);
    return types.typeNames(metamodel);
  }

  @Override
  public List<String> listAttributeNames(String name, String metamodel, String type)
      throws TException {
    find(name);
    return types.attributeNames(metamodel, type);
  }

  // queries

  @Override
  public List<String> listQueryLanguages(String name) throws TException {
    find(name);
    return List.of(MogwaiDriver.OCL);
  }

  @Override
  public QueryResult query(String name, String query, String language, HawkQueryOptions options)
      throws TException {
    find(name);
    checkLanguage(language);
    return queries.run(query, options);
  }

  @Override
  public QueryReport timedQuery(
      String name, String query, String language, HawkQueryOptions options) throws TException {
    find(name);
    checkLanguage(language);
    long begun = System.nanoTime();
    QueryResult result = queries.run(query, options);
    return new QueryReport(result, millisSince(begun), false);
  }

  private static long millisSince(long begun) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
  }

  @Override
  public String asyncQuery(String name, String query, String language, HawkQueryOptions options)
      throws TException {
    find(name);
    checkLanguage(language);
    queries.check(query);
    return async.submit(cancellation -> report(query, options, cancellation));
  }

  private QueryReport report(String query, HawkQueryOptions options, Cancellation cancellation)
      throws TException {
    long begun = System.nanoTime();
    try {
      QueryResult result = queries.run(query, options, cancellation);
      return new QueryReport(result, millisSince(begun), false);
    } catch (QueryCancelledException e) {
      return new QueryReport(ResultValues.nothing(), millisSince(begun), true);
    }
  }

  @Override
  public void cancelAsyncQuery(String id) throws TException {
    async.cancel(id);
  }

  @Override
  public QueryReport fetchAsyncQueryResults(String id) throws TException {
    return async.fetch(id);
  }

  // elements without a query

  @Override
  public List<ModelElement> resolveProxies(String name, List<String> ids, HawkQueryOptions options)
      throws TException {
    find(name);
    return encode(elements.elements(ids), options);
  }

  @Override
  public List<ModelElement> getModel(String name, HawkQueryOptions options) throws TException {
    find(name);
    return encode(elements.roots(), new HawkQueryOptions(options).setIncludeContained(true));
  }

  @Override
  public List<ModelElement> getRootElements(String name, HawkQueryOptions options)
      throws TException {
    find(name);
    return encode(
        elements.roots(),
        new HawkQueryOptions(options).setIncludeContained(false).setIncludeNodeIDs(true));
  }

  private List<ModelElement> encode(List<Node> nodes, HawkQueryOptions options) throws TException {
    Queries.checkScope(options);
    return queries.bounded(() -> encodeNow(nodes, options));
  }

  private List<ModelElement> encodeNow(List<Node> nodes, HawkQueryOptions options)
      throws TException {
    try {
      return new ElementEncoder<>(elements, options).encodeAll(nodes);
    } catch (CancellationException e) {
      throw new FailedQuery(e.getMessage());
    } catch (RuntimeException e) { // of the database
      throw new TApplicationException(TApplicationException.INTERNAL_ERROR, e.getMessage());
    }
  }

  @Override
  public void close() {
    queries.close();
    async.close();
  }
}
