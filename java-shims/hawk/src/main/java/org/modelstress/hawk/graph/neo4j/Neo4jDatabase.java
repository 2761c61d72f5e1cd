package org.modelstress.hawk.graph.neo4j;

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.modelstress.hawk.graph.GraphException;
import org.neo4j.collection.Dependencies;
import org.neo4j.configuration.Config;
import org.neo4j.configuration.DatabaseConfig;
import org.neo4j.configuration.GraphDatabaseInternalSettings;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.dbms.DbmsRuntimeVersionProvider;
import org.neo4j.dbms.database.AbstractDatabaseContextFactory;
import org.neo4j.dbms.database.DbmsRuntimeVersion;
import org.neo4j.dbms.database.readonly.DatabaseReadOnlyChecker;
import org.neo4j.dbms.database.readonly.ReadOnlyDatabases;
import org.neo4j.dbms.systemgraph.TopologyGraphDbmsModel.HostedOnMode;
import org.neo4j.graphdb.facade.GraphDatabaseDependencies;
import org.neo4j.graphdb.factory.module.GlobalModule;
import org.neo4j.graphdb.factory.module.ModularDatabaseCreationContext;
import org.neo4j.graphdb.factory.module.id.IdContextFactoryProvider;
import org.neo4j.internal.kernel.api.security.CommunitySecurityLog;
import org.neo4j.io.device.DeviceMapper;
import org.neo4j.io.layout.Neo4jLayout;
import org.neo4j.io.layout.recordstorage.RecordDatabaseLayout;
import org.neo4j.io.locker.FileLockException;
import org.neo4j.io.pagecache.IOController;
import org.neo4j.io.pagecache.context.CursorContextFactory;
import org.neo4j.io.pagecache.context.FixedVersionContextSupplier;
import org.neo4j.kernel.api.Kernel;
import org.neo4j.kernel.api.procedure.GlobalProcedures;
import org.neo4j.kernel.database.Database;
import org.neo4j.kernel.database.DatabaseCreationContext;
import org.neo4j.kernel.database.DatabaseId;
import org.neo4j.kernel.database.DatabaseIdFactory;
import org.neo4j.kernel.database.DatabaseReferenceRepository;
import org.neo4j.kernel.database.DatabaseTracers;
import org.neo4j.kernel.database.GlobalAvailabilityGuardController;
import org.neo4j.kernel.database.NamedDatabaseId;
import org.neo4j.kernel.impl.api.CommandCommitListeners;
import org.neo4j.kernel.impl.api.ExternalIdReuseConditionProvider;
import org.neo4j.kernel.impl.api.LeaseService;
import org.neo4j.kernel.impl.api.TransactionsFactory;
import org.neo4j.kernel.impl.constraints.StandardConstraintSemantics;
import org.neo4j.kernel.impl.factory.AccessCapabilityFactory;
import org.neo4j.kernel.impl.factory.DbmsInfo;
import org.neo4j.kernel.impl.factory.DefaultTransactionalProcessFactory;
import org.neo4j.kernel.impl.index.DatabaseIndexStats;
import org.neo4j.kernel.impl.pagecache.CommunityVersionStorageFactory;
import org.neo4j.kernel.impl.query.QueryEngineProvider;
import org.neo4j.kernel.impl.query.QueryExecutionEngine;
import org.neo4j.kernel.impl.transaction.stats.DatabaseTransactionStats;
import org.neo4j.kernel.internal.GraphDatabaseAPI;
import org.neo4j.logging.InternalLogProvider;
import org.neo4j.logging.NullLog;
import org.neo4j.logging.internal.LogService;
import org.neo4j.logging.internal.NullLogService;

/**
 * One Neo4j database alone: storage, transactions and indices, as Neo4j's own management service
 * puts them together, but without the second (system) database, Cypher, procedures, security, Bolt
 * and HTTP, which take most of the libraries, seconds to start and threads.
 */
final class Neo4jDatabase implements AutoCloseable {
  private static final String NAME = "neo4j";

  /** A closed graph has at most one transaction log of about this size; graphs are copied. */
  private static final long LOG_BYTES = 4L << 20;

  private static final Duration LOCK_DEADLINE = Duration.ofSeconds(60);

  /** How long closing waits for transactions that are still open before it ends them. */
  private static final Duration CLOSE_DEADLINE = Duration.ofSeconds(2);

  private final Path folder;
  private final GlobalModule module;
  private final Database database;

  private Neo4jDatabase(Path folder, GlobalModule module) {
    this.folder = folder;
    this.module = module;
    satisfy(module.getGlobalDependencies(), module.getGlobalConfig());
    this.database = new Database(context(module, this::kernel));
  }

  /**
   * Opens the database in a folder.
   *
   * @throws GraphException if there is none, or it is damaged or in use
   */
  static Neo4jDatabase open(Path folder, int cacheMegabytes) {
    Config config = config(folder, cacheMegabytes);
    if (!Files.exists(layout(config).metadataStore())) {
      throw new GraphException("there is no Neo4j graph in " + folder + ": load the model", null);
    }
    Neo4jDatabase opened = null;
    try {
      opened = new Neo4jDatabase(folder, new QuietModule(config));
      opened.module.getGlobalLife().start();
      opened.database.start();
      return opened;
    } catch (Exception e) {
      if (opened != null) {
        opened.shutDown(e);
      }
      throw new GraphException(
          causedBy(e, FileLockException.class)
              ? "the Neo4j graph in " + folder + " is in use: close the program that has it open"
              : "the Neo4j graph in "
                  + folder
                  + " is damaged or of another version: load the model"
                  + " again",
          e);
    }
  }

  private static boolean causedBy(Throwable failure, Class<? extends Throwable> cause) {
    for (Throwable one = failure; one != null; one = one.getCause()) {
      if (cause.isInstance(one)) {
        return true;
      }
    }
    return false;
  }

  /** Ends what can be ended after a failure. */
  private void shutDown(Exception failure) {
    for (Step step :
        List.<Step>of(database::stop, database::shutdown, module.getGlobalLife()::shutdown)) {
      try {
        step.run();
      } catch (Exception e) {
        failure.addSuppressed(e);
      }
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  /** Settings of a graph: a bounded page cache and nothing in the background. */
  static Config config(Path folder, int cacheMegabytes) {
    return Config.newBuilder()
        .set(GraphDatabaseSettings.neo4j_home, folder.toAbsolutePath())
        .set(GraphDatabaseSettings.initial_default_database, NAME)
        .set(GraphDatabaseSettings.pagecache_memory, cacheMegabytes * 1024L * 1024L)
        .set(GraphDatabaseSettings.pagecache_warmup_enabled, false)
        .set(GraphDatabaseSettings.preallocate_logical_logs, false)
        .set(GraphDatabaseSettings.preallocate_store_files, false)
        .set(GraphDatabaseSettings.keep_logical_logs, "keep_none")
        .set(GraphDatabaseSettings.logical_log_rotation_threshold, LOG_BYTES)
        .set(GraphDatabaseSettings.lock_acquisition_timeout, LOCK_DEADLINE)
        .set(GraphDatabaseSettings.shutdown_transaction_end_timeout, CLOSE_DEADLINE)
        .set(GraphDatabaseSettings.filewatcher_enabled, false)
        .set(GraphDatabaseSettings.udc_enabled, false)
        .set(GraphDatabaseSettings.transaction_monitor_check_interval, Duration.ZERO)
        .set(GraphDatabaseSettings.index_background_sampling_enabled, false)
        .set(GraphDatabaseInternalSettings.dump_diagnostics, false)
        .set(GraphDatabaseInternalSettings.vm_pause_monitor_enabled, false)
        .set(GraphDatabaseInternalSettings.skip_default_indexes_on_creation, true)
        .build();
  }

  static RecordDatabaseLayout layout(Config config) {
    return RecordDatabaseLayout.of(Neo4jLayout.of(config), NAME);
  }

  /** What the kernel asks for and never uses without Cypher and security. */
  private static void satisfy(Dependencies dependencies, Config config) {
    DbmsRuntimeVersionProvider version = () -> DbmsRuntimeVersion.getLatestVersion(config);
    dependencies.satisfyDependencies(
        version,
        unused(GlobalProcedures.class),
        unused(DatabaseReferenceRepository.class),
        new CommunitySecurityLog(NullLog.getInstance()));
  }

  private static DatabaseCreationContext context(GlobalModule module, Supplier<Kernel> kernel) {
    NamedDatabaseId id =
        DatabaseIdFactory.from(
            NAME, UUID.nameUUIDFromBytes(NAME.getBytes(StandardCharsets.US_ASCII)));
    DatabaseConfig config = new DatabaseConfig(module.getGlobalConfig());
    CursorContextFactory cursors =
        new CursorContextFactory(
            module.getTracers().getPageCacheTracer(),
            FixedVersionContextSupplier.EMPTY_CONTEXT_SUPPLIER);
    return new ModularDatabaseCreationContext(
        HostedOnMode.SINGLE,
        () -> null,
        id,
        module,
        module.getGlobalDependencies(),
        cursors,
        DeviceMapper.UNKNOWN_MAPPER,
        new CommunityVersionStorageFactory(),
        config,
        module.getGlobalMonitors(),
        LeaseService.NO_LEASES,
        () ->
            DatabaseCreationContext.selectStorageEngine(
                module.getFileSystem(), module.getNeo4jLayout(), config, id),
        new StandardConstraintSemantics(),
        new NoQueries(),
        new DatabaseTransactionStats(),
        new DatabaseIndexStats(),
        ModularDatabaseCreationContext.defaultFileWatcherFilter(),
        AccessCapabilityFactory.configDependent(),
        ExternalIdReuseConditionProvider.NONE,
        IdContextFactoryProvider.getInstance()
            .buildIdContextFactory(module)
            .createIdContext(id, cursors, config, false),
        new DefaultTransactionalProcessFactory(),
        AbstractDatabaseContextFactory.createTokenHolderProvider(kernel),
        new GlobalAvailabilityGuardController(module.getGlobalAvailabilityGuard()),
        new Writable(),
        (limits, clock) -> IOController.DISABLED,
        new DatabaseTracers(module.getTracers(), id),
        CommandCommitListeners.NO_LISTENERS,
        TransactionsFactory.DEFAULT);
  }

  /** An implementation that is asked for, but whose methods nobody calls for an answer. */
  private static <T> T unused(Class<T> type) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> self == arguments[0];
                  case "hashCode" -> System.identityHashCode(self);
                  case "toString" -> "no " + type.getSimpleName();
                  default -> method.getReturnType() == long.class ? 0L : null;
                });
    return type.cast(proxy);
  }

  Kernel kernel() {
    return database.getKernel();
  }

  Database database() {
    return database;
  }

  GraphDatabaseAPI api() {
    return database.getDatabaseAPI();
  }

  Path folder() {
    return folder;
  }

  @Override
  public void close() {
    try {
      database.stop();
      database.shutdown();
      module.getGlobalLife().shutdown();
    } catch (Exception e) {
      shutDown(e);
      throw new GraphException("the Neo4j graph in " + folder + " was not closed properly", e);
    }
  }

  /** Writes no log files. */
  private static final class QuietModule extends GlobalModule {
    QuietModule(Config config) {
      super(config, DbmsInfo.COMMUNITY, false, GraphDatabaseDependencies.newDependencies());
    }

    @Override
    protected LogService createLogService(InternalLogProvider provider, boolean daemon) {
      return NullLogService.getInstance();
    }
  }

  private static final class NoQueries extends QueryEngineProvider {
    @Override
    protected QueryExecutionEngine createEngine(
        Dependencies dependencies, GraphDatabaseAPI api, boolean system, SPI spi) {
      return unused(QueryExecutionEngine.class);
    }

    @Override
    protected int enginePriority() {
      return 0;
    }
  }

  private static final class Writable implements ReadOnlyDatabases {
    @Override
    public boolean isReadOnly(DatabaseId id) {
      return false;
    }

    @Override
    public boolean isReadOnlyLocally(DatabaseId id) {
      return false;
    }

    @Override
    public DatabaseReadOnlyChecker forDatabase(NamedDatabaseId id) {
      return DatabaseReadOnlyChecker.writable();
    }

    @Override
    public void refresh() {}

    @Override
    public long updateId() {
      return 0;
    }
  }
}
