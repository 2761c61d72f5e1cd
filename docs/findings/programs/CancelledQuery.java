import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.eclipse.emf.cdo.net4j.CDONet4jSessionConfiguration;
import org.eclipse.emf.cdo.net4j.CDONet4jUtil;
import org.eclipse.emf.cdo.server.CDOServerUtil;
import org.eclipse.emf.cdo.server.IRepository;
import org.eclipse.emf.cdo.server.db.CDODBUtil;
import org.eclipse.emf.cdo.server.net4j.CDONet4jServerUtil;
import org.eclipse.emf.cdo.view.CDOQuery;
import org.eclipse.emf.cdo.view.CDOView;
import org.eclipse.net4j.Net4jUtil;
import org.eclipse.net4j.db.DBUtil;
import org.eclipse.net4j.db.h2.H2Adapter;
import org.eclipse.net4j.jvm.JVMUtil;
import org.eclipse.net4j.util.collection.CloseableIterator;
import org.eclipse.net4j.util.container.ContainerUtil;
import org.eclipse.net4j.util.container.IManagedContainer;
import org.h2.jdbcx.JdbcDataSource;

/**
 * Cancels one of two queries on a CDO server with an H2 database; afterwards nobody is answered.
 * With {@code off}, CDO does not interrupt queries; with {@code retry}, H2 opens its file again.
 */
class CancelledQuery {
  private static final String LONG = "SELECT COUNT(*) FROM FILLER A, FILLER B WHERE A.T < B.T";

  public static void main(String[] args) throws Exception {
    String asked = args.length > 0 ? args[0] : "";
    JdbcDataSource source = new JdbcDataSource();
    Path folder = Files.createTempDirectory("cancelled-query");
    String prefix = asked.equals("retry") ? "retry:" : "";
    source.setURL("jdbc:h2:" + prefix + folder.resolve("db") + ";CACHE_SIZE=0");
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE FILLER AS SELECT X, REPEAT('x', 500) T FROM SYSTEM_RANGE(1, 20000)");
    }
    IManagedContainer container = serve(source, !asked.equals("off"));
    Connection connection = source.getConnection(); // stays open, as a server's pool does
    CloseableIterator<?> cancelled = query(connect(container), LONG).getResultAsync();
    query(connect(container), LONG).getResultAsync();
    awaitBegun(connection, 2);
    System.out.println("meanwhile, a client has: " + answer(connect(container)));
    cancelled.close(); // the client gives up: CDO's signal 18
    TimeUnit.SECONDS.sleep(2);
    int errors = 0;
    String last = "";
    for (int i = 0; i < 20; i++) {
      last = answer(connect(container));
      errors += last.endsWith("[1]") ? 0 : 1;
    }
    System.out.println("errors of 20 new clients: " + errors + "; the last has: " + last);
    Runtime.getRuntime().halt(errors > 0 ? 1 : 0);
  }

  private static IManagedContainer serve(JdbcDataSource source, boolean interrupts) {
    IManagedContainer container = ContainerUtil.createContainer();
    Net4jUtil.prepareContainer(container);
    JVMUtil.prepareContainer(container);
    CDONet4jUtil.prepareContainer(container);
    CDONet4jServerUtil.prepareContainer(container);
    container.activate();
    IRepository repository =
        CDOServerUtil.createRepository(
            "store",
            CDODBUtil.createStore(
                CDODBUtil.createHorizontalMappingStrategy(false),
                new H2Adapter(),
                DBUtil.createConnectionProvider(source)),
            Map.of(
                IRepository.Props.ALLOW_INTERRUPT_RUNNING_QUERIES, Boolean.toString(interrupts)));
    CDOServerUtil.addRepository(container, repository);
    JVMUtil.getAcceptor(container, "here");
    return container;
  }

  private static CDOView connect(IManagedContainer container) {
    CDONet4jSessionConfiguration configuration = CDONet4jUtil.createNet4jSessionConfiguration();
    configuration.setConnector(JVMUtil.getConnector(container, "here"));
    configuration.setRepositoryName("store");
    return configuration.openNet4jSession().openView();
  }

  private static CDOQuery query(CDOView view, String sql) {
    return view.createQuery("sql", sql).setParameter("cdoObjectQuery", false);
  }

  private static void awaitBegun(Connection connection, int queries) throws Exception {
    String running = "SELECT COUNT(*) FROM INFORMATION_SCHEMA.SESSIONS WHERE STATEMENT LIKE ?";
    int begun = 0;
    while (begun < queries) {
      TimeUnit.MILLISECONDS.sleep(100);
      try (PreparedStatement statement = connection.prepareStatement(running)) {
        statement.setString(1, "%FILLER A%");
        ResultSet result = statement.executeQuery();
        result.next();
        begun = result.getInt(1);
      }
    }
  }

  private static String answer(CDOView view) {
    try {
      return query(view, "SELECT 1 FROM FILLER WHERE X = 7").getResult().toString();
    } catch (RuntimeException e) {
      return e.toString().lines().findFirst().orElse("");
    }
  }
}
