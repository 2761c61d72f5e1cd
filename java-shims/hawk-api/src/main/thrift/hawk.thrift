/*
 * Hawk's Thrift API: names, field numbers and requiredness are Hawk's own, so that clients and servers of both
 * projects understand each other. Left out: service Users and the events of a message queue. Calls that are not served
 * are here all the same: over the tuple protocol a server can read past arguments only if it knows them.
 * After a change: make thrift.
 */
namespace java org.modelstress.hawk.api

enum HawkPluginCategory {
  BACKEND, GRAPH_CHANGE_LISTENER, INDEX_FACTORY, METAMODEL_INTROSPECTOR, METAMODEL_RESOURCE_FACTORY,
  METAMODEL_UPDATER, MODEL_RESOURCE_FACTORY, MODEL_UPDATER, QUERY_ENGINE, VCS_MANAGER
}

/** What an instance does. */
enum HawkState { RUNNING, STOPPED, UPDATING }

enum SubscriptionDurability { DEFAULT, DURABLE, TEMPORARY }

/** An attribute computed by the index; removing one needs the first three fields only. */
struct DerivedAttributeSpec {
  1: required string metamodelUri,
  2: required string typeName,
  3: required string attributeName,
  4: optional string attributeType,
  5: optional bool isMany,
  6: optional bool isOrdered,
  7: optional bool isUnique,
  8: optional string derivationLanguage,
  9: optional string derivationLogic
}

/** An attribute of the metamodel that is found by value. */
struct IndexedAttributeSpec {
  1: required string metamodelUri,
  2: required string typeName,
  3: required string attributeName
}

/** For a version control system. */
struct Credentials {
  1: required string username,
  2: required string password
}

exception FailedQuery { 1: required string reason }

exception HawkFactoryNotFound { 1: optional string factoryName }

exception HawkInstanceNotFound { 1: optional string instanceName }

exception HawkInstanceNotRunning { 1: optional string instanceName }

exception HawkMetamodelNotFound { 1: optional string metamodelURI }

exception HawkTypeNotFound { 1: optional string typeName }

exception InvalidDerivedAttributeSpec { 1: required string reason }

exception InvalidIndexedAttributeSpec { 1: required string reason }

exception InvalidMetamodel { 1: required string reason }

exception InvalidPollingConfiguration { 1: required string reason }

exception InvalidQuery { 1: required string reason }

exception UnknownQueryLanguage { 1: optional string queryLanguage }

exception UnknownRepositoryType { 1: optional string repositoryType }

exception VCSAuthenticationFailed {}

/** A file with its contents. */
struct File {
  1: required string name,
  2: required binary contents
}

struct HawkInstance {
  1: required string name,
  2: required HawkState state,
  /** the last thing that happened */
  3: required string message
}

struct HawkPlugin {
  1: required string name,
  2: required string description,
  3: required HawkPluginCategory category
}

struct MetamodelParserDetails {
  /** each begins with a dot */
  1: required set<string> fileExtensions,
  2: required string identifier
}

struct Repository {
  1: required string uri,
  2: required string type,
  3: optional bool isFrozen = false
}

/** Where a message queue with events is. */
struct Subscription {
  1: required string host,
  2: required i32 port,
  3: required string queueAddress,
  4: required string queueName,
  5: required bool sslRequired = false
}

/** A reference by identifier or by place in the answer. */
union MixedReference {
  1: optional string id,
  2: optional i32 position
}

struct SlotMetadata {
  1: required string name,
  2: required string type,
  3: required bool isMany,
  4: required bool isOrdered,
  5: required bool isUnique
}

union SlotValue {
  1: optional bool vBoolean,
  2: optional i8 vByte,
  3: optional i16 vShort,
  4: optional i32 vInteger,
  5: optional i64 vLong,
  6: optional double vDouble,
  7: optional string vString,
  8: optional list<bool> vBooleans,
  9: optional binary vBytes,
  10: optional list<i16> vShorts,
  11: optional list<i32> vIntegers,
  12: optional list<i64> vLongs,
  13: optional list<double> vDoubles,
  14: optional list<string> vStrings,
  15: optional list<SlotValue> vLists
}

struct AttributeSlot {
  1: required string name,
  2: optional SlotValue value
}

/** One of the five optional fields is set, by number and kind of the targets. */
struct ReferenceSlot {
  1: required string name,
  2: optional i32 position,
  3: optional list<i32> positions,
  4: optional string id,
  5: optional list<string> ids,
  6: optional list<MixedReference> mixed
}

struct ModelElementType {
  1: required string id,
  2: required string metamodelUri,
  3: required string typeName,
  4: optional list<SlotMetadata> attributes,
  5: optional list<SlotMetadata> references
}

/** Fields 2 to 5 are left out when they are those of the element before. */
struct ModelElement {
  1: optional string id,
  2: optional string repositoryURL,
  3: optional string file,
  4: optional string metamodelUri,
  5: optional string typeName,
  6: optional list<AttributeSlot> attributes,
  7: optional list<ReferenceSlot> references,
  8: optional list<ContainerSlot> containers
}

/** Elements contained in another one, in full. */
struct ContainerSlot {
  1: required string name,
  2: required list<ModelElement> elements
}

struct HawkQueryOptions {
  1: optional string repositoryPattern = "*",
  2: optional list<string> filePatterns,
  /** separated by commas */
  3: optional string defaultNamespaces,
  4: optional bool includeAttributes = true,
  5: optional bool includeReferences = true,
  6: optional bool includeNodeIDs = false,
  7: optional bool includeContained = true,
  /** metamodel URI to type name to feature names; * stands for all types or features */
  8: optional map<string, map<string, set<string>>> effectiveMetamodelIncludes,
  9: optional map<string, map<string, set<string>>> effectiveMetamodelExcludes,
  10: optional bool includeDerived = true
}

union QueryResult {
  1: optional bool vBoolean,
  2: optional i8 vByte,
  3: optional i16 vShort,
  4: optional i32 vInteger,
  5: optional i64 vLong,
  6: optional double vDouble,
  7: optional string vString,
  8: optional ModelElement vModelElement,
  9: optional ModelElementType vModelElementType,
  10: optional map<string, QueryResult> vMap,
  11: optional list<QueryResult> vList
}

struct QueryReport {
  1: required QueryResult result,
  2: required i64 wallMillis,
  3: required bool isCancelled
}

service Hawk {
  // instances

  list<string> listBackends()

  list<string> listPlugins()

  list<HawkPlugin> listPluginDetails()

  list<HawkInstance> listInstances()

  void startInstance(1: required string name) throws (1: HawkInstanceNotFound err1)

  void stopInstance(1: required string name)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  void syncInstance(1: required string name, 2: bool blockUntilDone = false)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  // metamodels

  void registerMetamodels(1: required string name, 2: required list<File> metamodel)
    throws (1: HawkInstanceNotFound err1, 2: InvalidMetamodel err2, 3: HawkInstanceNotRunning err3)

  void unregisterMetamodels(1: required string name, 2: required list<string> metamodel)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  list<string> listMetamodels(1: required string name)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  list<string> listTypeNames(1: required string hawkInstanceName, 2: required string metamodelURI)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2, 3: HawkMetamodelNotFound err3)

  list<string> listAttributeNames(
    1: required string hawkInstanceName, 2: required string metamodelURI, 3: required string typeName
  ) throws (
    1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2, 3: HawkMetamodelNotFound err3, 4: HawkTypeNotFound err4
  )

  list<MetamodelParserDetails> listMetamodelParsers(1: required string name)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  // queries

  list<string> listQueryLanguages(1: required string name)

  QueryResult query(
    1: required string name, 2: required string query, 3: required string language, 4: required HawkQueryOptions options
  ) throws (
    1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2, 3: UnknownQueryLanguage err3, 4: InvalidQuery err4,
    5: FailedQuery err5
  )

  QueryReport timedQuery(
    1: required string name, 2: required string query, 3: required string language, 4: required HawkQueryOptions options
  ) throws (
    1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2, 3: UnknownQueryLanguage err3, 4: InvalidQuery err4,
    5: FailedQuery err5
  )

  list<ModelElement> resolveProxies(
    1: required string name, 2: required list<string> ids, 3: required HawkQueryOptions options
  ) throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  /** Begins a query; the answer is its identifier. */
  string asyncQuery(
    1: required string name, 2: required string query, 3: required string language, 4: required HawkQueryOptions options
  ) throws (
    1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2, 3: UnknownQueryLanguage err3, 4: InvalidQuery err4
  )

  void cancelAsyncQuery(1: required string queryID) throws (1: InvalidQuery err1)

  /** Waits for the query's end; its identifier is then forgotten. */
  QueryReport fetchAsyncQueryResults(1: required string queryID) throws (1: InvalidQuery err1, 2: FailedQuery err2)

  // repositories and files

  list<Repository> listRepositories(1: required string name)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  list<string> listRepositoryTypes()

  list<string> listFiles(1: required string name, 2: required list<string> repository, 3: required list<string> filePatterns)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  // derived and indexed attributes

  void addDerivedAttribute(1: required string name, 2: required DerivedAttributeSpec spec)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2, 3: InvalidDerivedAttributeSpec err3)

  void removeDerivedAttribute(1: required string name, 2: required DerivedAttributeSpec spec)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  list<DerivedAttributeSpec> listDerivedAttributes(1: required string name)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  void addIndexedAttribute(1: required string name, 2: required IndexedAttributeSpec spec)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2, 3: InvalidIndexedAttributeSpec err3)

  void removeIndexedAttribute(1: required string name, 2: required IndexedAttributeSpec spec)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  list<IndexedAttributeSpec> listIndexedAttributes(1: required string name)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  // models

  /** Everything of the indexed files, contained elements nested. */
  list<ModelElement> getModel(1: required string name, 2: required HawkQueryOptions options)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  /** The roots of the indexed files, with identifiers, contained elements left out. */
  list<ModelElement> getRootElements(1: required string name, 2: required HawkQueryOptions options)

  // not served: instances and repositories are fixed, and there is no message queue

  void createInstance(
    1: required string name, 2: required string backend, 3: required i32 minimumDelayMillis,
    4: required i32 maximumDelayMillis, 5: list<string> enabledPlugins, 6: string indexFactory
  ) throws (1: HawkFactoryNotFound err1)

  void removeInstance(1: required string name) throws (1: HawkInstanceNotFound err1)

  void addRepository(1: required string name, 2: required Repository repo, 3: Credentials credentials)
    throws (
      1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2, 3: UnknownRepositoryType err3,
      4: VCSAuthenticationFailed err4
    )

  bool isFrozen(1: required string name, 2: required string uri)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  void setFrozen(1: required string name, 2: required string uri, 3: required bool isFrozen)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  void removeRepository(1: required string name, 2: required string uri)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  void updateRepositoryCredentials(1: required string name, 2: required string uri, 3: required Credentials cred)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  void configurePolling(1: required string name, 2: required i32 base, 3: required i32 max)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2, 3: InvalidPollingConfiguration err3)

  Subscription watchStateChanges(1: required string name)
    throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)

  Subscription watchModelChanges(
    1: required string name, 2: required string repositoryUri, 3: required list<string> filePath,
    4: required string clientID, 5: required SubscriptionDurability durableEvents
  ) throws (1: HawkInstanceNotFound err1, 2: HawkInstanceNotRunning err2)
}
