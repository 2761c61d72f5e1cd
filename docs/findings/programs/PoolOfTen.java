import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.eclipse.emf.cdo.net4j.CDONet4jSessionConfiguration;
import org.eclipse.emf.cdo.net4j.CDONet4jUtil;
import org.eclipse.emf.cdo.server.CDOServerUtil;
import org.eclipse.emf.cdo.server.IQueryHandler;
import org.eclipse.emf.cdo.server.mem.MEMStoreUtil;
import org.eclipse.emf.cdo.server.net4j.CDONet4jServerUtil;
import org.eclipse.emf.cdo.spi.server.ContainerQueryHandlerProvider;
import org.eclipse.emf.cdo.spi.server.InternalRepository;
import org.eclipse.emf.cdo.spi.server.QueryHandlerFactory;
import org.eclipse.emf.cdo.view.CDOView;
import org.eclipse.net4j.Net4jUtil;
import org.eclipse.net4j.jvm.JVMUtil;
import org.eclipse.net4j.util.concurrent.ExecutorServiceFactory;
import org.eclipse.net4j.util.container.ContainerUtil;
import org.eclipse.net4j.util.container.IManagedContainer;

/** Lets 16 clients query a CDO server at once; its pool has ten threads, or as many as given. */
class PoolOfTen {
  private static final int CLIENTS = 16;
  private static final int ROUNDS = 200;

  public static void main(String[] args) throws Exception {
    int threads = args.length > 0 ? Integer.parseInt(args[0]) : 10;
    serve(threads);
    AtomicInteger answered = new AtomicInteger();
    CyclicBarrier together = new CyclicBarrier(CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
      CDOView view = connect();
      Thread client = new Thread(() -> query(view, together, answered));
      client.setDaemon(true);
      client.start();
    }
    while (answered.get() < CLIENTS * ROUNDS) {
      int before = answered.get();
      TimeUnit.SECONDS.sleep(5);
      if (answered.get() == before && waiting() == threads) {
        System.out.println(
            before
                + " of "
                + CLIENTS * ROUNDS
                + " queries answered, then none: all "
                + threads
                + " threads of the server wait for results that no thread is left to find");
        Runtime.getRuntime().halt(1);
      }
    }
    System.out.println("all " + answered + " queries answered");
    Runtime.getRuntime().halt(0);
  }

  /** How many threads have received a query and wait for its results. */
  private static long waiting() {
    return Thread.getAllStackTraces().values().stream()
        .filter(
            stack ->
                Stream.of(stack)
                    .anyMatch(frame -> frame.getClassName().endsWith(".QueryIndication")))
        .count();
  }

  private static void serve(int threads) {
    IManagedContainer server = ContainerUtil.createContainer();
    Net4jUtil.prepareContainer(server);
    JVMUtil.prepareContainer(server);
    CDONet4jServerUtil.prepareContainer(server);
    server.registerFactory(
        new ExecutorServiceFactory() {
          @Override
          public ExecutorService create(String description) {
            return super.create("net4j:10:" + threads + ":60");
          }
        });
    server.registerFactory(
        new QueryHandlerFactory("one") {
          @Override
          public IQueryHandler create(String description) {
            return (info, context) -> context.addResult(1);
          }
        });
    server.activate();
    InternalRepository repository =
        (InternalRepository)
            CDOServerUtil.createRepository("store", MEMStoreUtil.createMEMStore(), Map.of());
    repository.setQueryHandlerProvider(new ContainerQueryHandlerProvider(server));
    repository.setContainer(server); // queries run in the container's pool, as signals do
    CDOServerUtil.addRepository(server, repository);
    JVMUtil.getAcceptor(server, "here");
  }

  private static CDOView connect() {
    IManagedContainer client = ContainerUtil.createContainer();
    Net4jUtil.prepareContainer(client);
    JVMUtil.prepareContainer(client);
    CDONet4jUtil.prepareContainer(client);
    client.activate();
    CDONet4jSessionConfiguration configuration = CDONet4jUtil.createNet4jSessionConfiguration();
    configuration.setConnector(JVMUtil.getConnector(client, "here"));
    configuration.setRepositoryName("store");
    return configuration.openNet4jSession().openView();
  }

  private static void query(CDOView view, CyclicBarrier together, AtomicInteger answered) {
    try {
      for (int i = 0; i < ROUNDS; i++) {
        together.await();
        view.createQuery("one", "").getResult(Integer.class);
        answered.incrementAndGet();
      }
    } catch (Exception e) {
      // a client's signal timeout, which comes after the server has stopped
    }
  }
}
