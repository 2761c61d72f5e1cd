package org.modelstress.hawk.server.thrift;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.TException;
import org.apache.thrift.TProcessor;
import org.modelstress.hawk.api.DerivedAttributeSpec;
import org.modelstress.hawk.api.File;
import org.modelstress.hawk.api.HawkInstance;
import org.modelstress.hawk.api.HawkInstanceNotFound;
import org.modelstress.hawk.api.HawkInstanceNotRunning;
import org.modelstress.hawk.api.HawkPlugin;
import org.modelstress.hawk.api.HawkPluginCategory;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.HawkState;
import org.modelstress.hawk.api.IndexedAttributeSpec;
import org.modelstress.hawk.api.InvalidDerivedAttributeSpec;
import org.modelstress.hawk.api.InvalidIndexedAttributeSpec;
import org.modelstress.hawk.api.MetamodelParserDetails;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.QueryReport;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.hawk.api.Repository;
import org.modelstress.hawk.index.LiveIndex;
import org.modelstress.hawk.query.Language;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.QueryCancelledException;
import org.modelstress.thrift.results.ResultValues;
import org.modelstress.thrift.server.ApiOptions;
import org.modelstress.thrift.server.ApiProcessor;
import org.modelstress.thrift.server.AsyncQueries;
import org.modelstress.thrift.server.Endpoints;
import org.modelstress.thrift.server.UnservedCalls;

/** Hawk's API over one index, which is its only instance. For any number of threads. */
public final class HawkService implements UnservedCalls, Endpoints.Service {
  private final LiveIndex index;
  private final String instance;
  private final String backend;
  private final Queries queries;
  private final AsyncQueries async;
  private final Models models;
  private final Management management;

  /**
   * Serves an index.
   *
   * @param index stays its caller's, who closes it after the service
   * @param instance its name to clients
   * @param backend name of the database behind it
   */
  public HawkService(LiveIndex index, String instance, String backend, ApiOptions options) {
    this.index = index;
    this.instance = instance;
    this.backend = backend;
    queries = new Queries(index, instance, options);
    async = new AsyncQueries(options);
    models = new Models(index, queries);
    management = new Management(index, instance, queries);
  }

  private void find(String name) throws HawkInstanceNotFound {
    if (!instance.equals(name)) {
      throw new HawkInstanceNotFound().setInstanceName(name);
    }
  }

  /** A stopped instance lists nothing; one that is being updated does. */
  private void findStarted(String name) throws HawkInstanceNotFound, HawkInstanceNotRunning {
    find(name);
    if (index.state() == LiveIndex.State.STOPPED) {
      throw new HawkInstanceNotRunning().setInstanceName(instance);
    }
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

  // instances

  @Override
  public List<String> listBackends() {
    return List.of(backend);
  }

  @Override
  public List<String> listPlugins() {
    return listPluginDetails().stream().map(HawkPlugin::getName).toList();
  }

  @Override
  public List<HawkPlugin> listPluginDetails() {
    return List.of(
        new HawkPlugin(backend, "graph database", HawkPluginCategory.BACKEND),
        plugin(Language.EOL),
        plugin(Language.EPL),
        new HawkPlugin(
            Models.REPOSITORY_TYPE, "files of a local folder", HawkPluginCategory.VCS_MANAGER));
  }

  private static HawkPlugin plugin(Language language) {
    return new HawkPlugin(language.id(), language.name(), HawkPluginCategory.QUERY_ENGINE);
  }

  @Override
  public List<HawkInstance> listInstances() {
    String message = index.message();
    return List.of(
        new HawkInstance(
            instance, HawkState.valueOf(index.state().name()), message == null ? "" : message));
  }

  @Override
  public void startInstance(String name) throws TException {
    find(name);
    management.run(index::start);
  }

  @Override
  public void stopInstance(String name) throws TException {
    findStarted(name);
    management.run(index::stop);
  }

  @Override
  public void syncInstance(String name, boolean blockUntilDone) throws TException {
    find(name);
    management.run(() -> index.synchronise(blockUntilDone));
  }

  // metamodels

  @Override
  public void registerMetamodels(String name, List<File> metamodels) throws TException {
    find(name);
    management.register(metamodels);
  }

  @Override
  public void unregisterMetamodels(String name, List<String> uris) throws TException {
    find(name);
    management.unregister(uris);
  }

  @Override
  public List<String> listMetamodels(String name) throws TException {
    findStarted(name);
    return management.metamodels();
  }

  @Override
  public List<String> listTypeNames(String name, String metamodel) throws TException {
    findStarted(name);
    return management.typeNames(metamodel);
  }

  @Override
  public List<String> listAttributeNames(String name, String metamodel, String type)
      throws TException {
    findStarted(name);
    return management.attributeNames(metamodel, type);
  }

  @Override
  public List<MetamodelParserDetails> listMetamodelParsers(String name) throws TException {
    findStarted(name);
    return List.of(new MetamodelParserDetails(Set.of(".ecore"), "EMF metamodels as XMI"));
  }

  // queries

  @Override
  public List<String> listQueryLanguages(String name) throws TException {
    find(name);
    return List.of(Language.EOL.id(), Language.EPL.id());
  }

  @Override
  public QueryResult query(String name, String query, String language, HawkQueryOptions options)
      throws TException {
    find(name);
    return queries.run(Queries.language(language), query, options);
  }

  @Override
  public QueryReport timedQuery(
      String name, String query, String language, HawkQueryOptions options) throws TException {
    find(name);
    long begun = System.nanoTime();
    QueryResult result = queries.run(Queries.language(language), query, options);
    return new QueryReport(result, millisSince(begun), false);
  }

  private static long millisSince(long begun) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
  }

  @Override
  public String asyncQuery(String name, String query, String language, HawkQueryOptions options)
      throws TException {
    find(name);
    Language known = Queries.language(language);
    queries.check(known, query);
    return async.submit(cancellation -> report(known, query, options, cancellation));
  }

  private QueryReport report(
      Language language, String query, HawkQueryOptions options, Cancellation cancellation)
      throws TException {
    long begun = System.nanoTime();
    try {
      QueryResult result = queries.run(language, query, options, cancellation);
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

  // models and files

  @Override
  public List<ModelElement> resolveProxies(String name, List<String> ids, HawkQueryOptions options)
      throws TException {
    find(name);
    return models.elements(ids, options);
  }

  @Override
  public List<ModelElement> getModel(String name, HawkQueryOptions options) throws TException {
    find(name);
    return models.all(options);
  }

  @Override
  public List<ModelElement> getRootElements(String name, HawkQueryOptions options)
      throws TException {
    find(name);
    return models.roots(
        new HawkQueryOptions(options).setIncludeContained(false).setIncludeNodeIDs(true));
  }

  @Override
  public List<Repository> listRepositories(String name) throws TException {
    findStarted(name);
    return models.repositories();
  }

  @Override
  public List<String> listRepositoryTypes() {
    return List.of(Models.REPOSITORY_TYPE);
  }

  /** A repository that is not indexed is not frozen either, as in Hawk. */
  @Override
  public boolean isFrozen(String name, String uri) throws TException {
    findStarted(name);
    return false;
  }

  @Override
  public List<String> listFiles(String name, List<String> repositories, List<String> patterns)
      throws TException {
    findStarted(name);
    return models.files(repositories, patterns);
  }

  // derived and indexed attributes

  @Override
  public void addDerivedAttribute(String name, DerivedAttributeSpec spec) throws TException {
    find(name);
    management.declare(
        Management.declaration(spec), e -> new InvalidDerivedAttributeSpec(e.getMessage()));
  }

  @Override
  public void removeDerivedAttribute(String name, DerivedAttributeSpec spec) throws TException {
    find(name);
    management.withdraw(Management.declaration(spec));
  }

  @Override
  public List<DerivedAttributeSpec> listDerivedAttributes(String name) throws TException {
    findStarted(name);
    return management.derivedAttributes();
  }

  @Override
  public void addIndexedAttribute(String name, IndexedAttributeSpec spec) throws TException {
    find(name);
    management.declare(
        Management.declaration(spec), e -> new InvalidIndexedAttributeSpec(e.getMessage()));
  }

  @Override
  public void removeIndexedAttribute(String name, IndexedAttributeSpec spec) throws TException {
    find(name);
    management.withdraw(Management.declaration(spec));
  }

  @Override
  public List<IndexedAttributeSpec> listIndexedAttributes(String name) throws TException {
    findStarted(name);
    return management.indexedAttributes();
  }

  @Override
  public void close() {
    queries.close();
    async.close();
  }
}
