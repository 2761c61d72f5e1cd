package org.modelstress.cdo;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.emf.cdo.common.model.CDOPackageInfo;
import org.eclipse.emf.cdo.common.protocol.CDOProtocolConstants;
import org.eclipse.emf.cdo.common.util.CDOQueryInfo;
import org.eclipse.emf.cdo.eresource.EresourcePackage;
import org.eclipse.emf.cdo.etypes.EtypesPackage;
import org.eclipse.emf.cdo.internal.server.QueryManager;
import org.eclipse.emf.cdo.internal.server.Repository;
import org.eclipse.emf.cdo.net4j.CDONet4jUtil;
import org.eclipse.emf.cdo.server.CDOServerUtil;
import org.eclipse.emf.cdo.server.IQueryHandler;
import org.eclipse.emf.cdo.server.IRepository;
import org.eclipse.emf.cdo.server.StoreThreadLocal;
import org.eclipse.emf.cdo.server.db.CDODBUtil;
import org.eclipse.emf.cdo.server.db.IDBStore;
import org.eclipse.emf.cdo.server.db.mapping.IMappingStrategy;
import org.eclipse.emf.cdo.server.net4j.CDONet4jServerUtil;
import org.eclipse.emf.cdo.spi.server.ContainerQueryHandlerProvider;
import org.eclipse.emf.cdo.spi.server.InternalRepository;
import org.eclipse.emf.cdo.spi.server.InternalStore;
import org.eclipse.emf.cdo.util.CDOUtil;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.net4j.Net4jUtil;
import org.eclipse.net4j.db.DBUtil;
import org.eclipse.net4j.db.h2.H2Adapter;
import org.eclipse.net4j.jvm.JVMUtil;
import org.eclipse.net4j.tcp.TCPUtil;
import org.eclipse.net4j.util.concurrent.ExecutorServiceFactory;
import org.eclipse.net4j.util.concurrent.ThreadPool;
import org.eclipse.net4j.util.container.ContainerUtil;
import org.eclipse.net4j.util.container.IManagedContainer;
import org.eclipse.net4j.util.lifecycle.LifecycleUtil;
import org.h2.engine.Constants;
import org.h2.util.ParserUtil;

/**
 * A CDO repository on an H2 database (horizontal mapping; no audits, no branches) inside a Net4j
 * container of its own. Acceptors are put into {@link #container()}.
 */
final class CdoRepository implements AutoCloseable {
  static final String CDO_VERSION = "4.7.0";

  /** Name under which sessions ask for it. */
  static final String NAME = "modelstress";

  /** Entries of CDO's cache of objects' classes while a model is loaded. */
  private static final String LOADING_TYPE_CACHE = "100000";

  /** Seconds; Net4j's own pools keep the threads of a burst for a minute. */
  private static final int IDLE_THREAD_S = 5;

  /** Threads of Net4j's pools that stay, as Net4j has it. */
  private static final int LEAST_THREADS = 10;

  private final StoreDatabase database;
  private final IManagedContainer container;
  private final InternalRepository repository;

  /**
   * Opens the database in this folder, or creates it.
   *
   * @throws RuntimeException as CDO and H2 throw it, when the database cannot be opened
   */
  CdoRepository(Path folder, ServerOptions options) {
    this(folder, options, Map.of(), true);
  }

  /**
   * Creates a database in this folder for a model to be loaded. CDO remembers the classes of ten
   * million objects unless it is told otherwise. Every commit begins with a query for the resource,
   * which CDO cancels once it is answered; interrupted while it still reads, it would close H2's
   * file.
   */
  static CdoRepository forLoading(Path folder, ServerOptions options) {
    return new CdoRepository(
        folder,
        options.withoutInterrupts(),
        Map.of(IMappingStrategy.Props.OBJECT_TYPE_CACHE_SIZE, LOADING_TYPE_CACHE),
        false);
  }

  private CdoRepository(
      Path folder, ServerOptions options, Map<String, String> mapping, boolean serving) {
    // touched before a database is reopened, or CDO cannot resolve these packages in it
    EcorePackage.eINSTANCE.getName();
    EresourcePackage.eINSTANCE.getName();
    EtypesPackage.eINSTANCE.getName();
    this.database =
        serving ? StoreDatabase.toServe(folder, options) : StoreDatabase.toLoad(folder, options);
    this.container = container(options, serving);
    this.repository = (InternalRepository) create(options, mapping);
    // which handler answers which query language; without this CDO asks a global container
    repository.setQueryHandlerProvider(new ContainerQueryHandlerProvider(container));
    if (options.sharePool()) {
      repository.setContainer(container);
    }
    CDOServerUtil.addRepository(container, repository);
    if (((QueryManager) repository.getQueryManager()).getExecutors() instanceof ThreadPool own) {
      own.setKeepAliveTime(IDLE_THREAD_S, TimeUnit.SECONDS); // not the container's
    }
    if (serving) {
      loadPackages();
    }
  }

  /**
   * Loads all packages before anybody asks for them. A package whose factory is replaced while
   * another query makes elements with the old one fails that query.
   */
  private void loadPackages() {
    StoreThreadLocal.setAccessor(repository.getStore().getReader(null));
    try {
      for (CDOPackageInfo info : repository.getPackageRegistry().getPackageInfos()) {
        if (!info.getPackageURI().equals(EcorePackage.eNS_URI)) {
          EPackage loaded = info.getEPackage(true);
          CDOUtil.prepareDynamicEPackage(loaded); // as CDO does when it first hands a package out
          ElementFactory.of(loaded);
        }
      }
    } finally {
      StoreThreadLocal.release();
    }
  }

  static String h2Version() {
    return Constants.FULL_VERSION;
  }

  private static IManagedContainer container(ServerOptions options, boolean serving) {
    IManagedContainer container = ContainerUtil.createContainer();
    Net4jUtil.prepareContainer(container);
    TCPUtil.prepareContainer(container);
    JVMUtil.prepareContainer(container);
    CDONet4jUtil.prepareContainer(container);
    CDONet4jServerUtil.prepareContainer(container);
    container.registerFactory(
        new ServerProtocolFactory(container, options.signalTimeoutMs(), serving));
    container.registerFactory(new OclQueryHandler.Factory(options));
    container.registerFactory(new ServerAcceptor.Factory(options.tcpNoDelay()));
    container.registerFactory(new PoolFactory(options.poolSize()));
    container.activate();
    return container;
  }

  private IRepository create(ServerOptions options, Map<String, String> mapping) {
    IMappingStrategy tables = CDODBUtil.createHorizontalMappingStrategy(false);
    tables.setProperties(new HashMap<>(mapping));
    IDBStore store =
        CDODBUtil.createStore(
            tables, new KeywordAdapter(), DBUtil.createConnectionProvider(database.source()));
    Map<String, String> properties = new HashMap<>();
    properties.put(IRepository.Props.OVERRIDE_UUID, NAME);
    properties.put(IRepository.Props.SUPPORTING_AUDITS, "false");
    properties.put(IRepository.Props.SUPPORTING_BRANCHES, "false");
    properties.put(
        IRepository.Props.ALLOW_INTERRUPT_RUNNING_QUERIES,
        Boolean.toString(options.interruptQueries()));
    GuardedRepository created = new GuardedRepository();
    created.setName(NAME);
    created.setStore((InternalStore) store);
    created.setProperties(properties);
    return created;
  }

  /**
   * CDO's repository, which answers OCL and CDO's own question for resources. CDO's store answers
   * SQL by itself, and who may run SQL in H2 may run anything; it is never asked.
   */
  @SuppressWarnings("unchecked") // CDO's getAdapter is older than generics
  private static final class GuardedRepository extends Repository.Default {
    private static final Set<String> LANGUAGES =
        Set.of("ocl", CDOProtocolConstants.QUERY_LANGUAGE_RESOURCES);

    @Override
    public synchronized IQueryHandler getQueryHandler(CDOQueryInfo info) {
      if (LANGUAGES.contains(String.valueOf(info.getQueryLanguage()))) {
        return super.getQueryHandler(info);
      }
      return (refused, context) -> {
        throw new IllegalArgumentException("The server answers queries in OCL only.");
      };
    }
  }

  /** Net4j's pool, whose threads end sooner. */
  private static final class PoolFactory extends ExecutorServiceFactory {
    private final int most;

    PoolFactory(int most) {
      this.most = most > 0 ? most : Integer.MAX_VALUE;
    }

    @Override
    public ExecutorService create(String description) {
      int least = Math.min(LEAST_THREADS, most);
      return super.create("net4j:" + least + ":" + most + ":" + IDLE_THREAD_S);
    }
  }

  /** CDO's adapter, which knows the reserved words of the standard, and those of H2 besides. */
  private static final class KeywordAdapter extends H2Adapter {
    @Override
    public boolean isReservedWord(String word) {
      return super.isReservedWord(word)
          || ParserUtil.getSaveTokenType(word, true, 0, word.length(), true)
              != ParserUtil.IDENTIFIER;
    }
  }

  StoreDatabase database() {
    return database;
  }

  IManagedContainer container() {
    return container;
  }

  InternalRepository repository() {
    return repository;
  }

  /** Frees what is remembered of elements read or written; they are read again when needed. */
  void forgetRevisions() {
    repository.getRevisionManager().getCache().clear();
  }

  /** Closes sessions, repository and database. */
  @Override
  public void close() {
    LifecycleUtil.deactivate(repository);
    LifecycleUtil.deactivate(container);
    database.shutdown("SHUTDOWN");
  }

  /** Closes everything and leaves the smallest database file. */
  void closeCompact() {
    LifecycleUtil.deactivate(repository);
    LifecycleUtil.deactivate(container);
    database.shutdown("SHUTDOWN COMPACT");
  }
}
