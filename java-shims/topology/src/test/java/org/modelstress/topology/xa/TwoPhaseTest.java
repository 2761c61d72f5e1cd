package org.modelstress.topology.xa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoopGroup;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.databases.Database;
import org.modelstress.databases.DatabaseServer;
import org.modelstress.topology.Topologies;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.jdbc.SchemaCreator;
import org.modelstress.topology.manager.Coordinator;
import org.modelstress.topology.manager.ObjectManager;
import org.modelstress.topology.server.GenericServer;
import org.modelstress.topology.server.Manager;

/** Two-phase commit over two real PostgreSQL servers, whose coordinator or store is killed. */
@Timeout(180)
class TwoPhaseTest {
  private static final String[] STORES = {"ds1", "ds2"};
  private static final int BEFORE = 2;

  @TempDir private static Path template;
  private static Database database;

  @TempDir private Path folder;

  private final Map<String, DatabaseServer> servers = new HashMap<>();
  private final List<AutoCloseable> open = new ArrayList<>();
  private Topology topology;
  private Path file;

  @BeforeAll
  static void create() throws Exception {
    database = Database.of("postgresql");
    database.prepare(template, null);
    database.create(template.resolve("data"), "data");
    database.pack(template.resolve("data"), template.resolve("data.tar"));
  }

  @BeforeEach
  void start() throws Exception {
    for (String store : STORES) {
      database.unpack(template.resolve("data.tar"), folder.resolve(store));
      servers.put(store, database.start(folder.resolve(store), "127.0.0.1", 0, store));
    }
  }

  private void configure(String text) throws Exception {
    file = Files.writeString(folder.resolve("topology.yaml"), text);
    topology = Topologies.of(text);
    for (String store : STORES) {
      SchemaCreator.create(servers.get(store).jdbc(), topology, store);
    }
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
    for (DatabaseServer server : servers.values()) {
      server.close();
    }
  }

  /** A process that coordinates. */
  private final class Coordinating implements AutoCloseable {
    private final Process process;
    private final BufferedReader lines;

    Coordinating(
        int first,
        int count,
        CrashPoint point,
        int transaction,
        long victim,
        List<String> addresses)
        throws Exception {
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  CoordinatorProcess.class.getName(),
                  file.toString(),
                  folder.resolve("log").toString(),
                  Integer.toString(first),
                  Integer.toString(count),
                  point.name(),
                  Integer.toString(transaction),
                  Long.toString(victim)));
      command.addAll(addresses);
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      lines =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** What it says up to a word, or its end. */
    List<String> until(String word) throws Exception {
      List<String> said = new ArrayList<>();
      String line;
      while ((line = lines.readLine()) != null && !line.equals(word)) {
        said.add(line);
      }
      return said;
    }

    void goOn() throws IOException {
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
    }

    @Override
    public void close() throws IOException {
      process.getOutputStream().close();
      try {
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      } catch (InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }

  private List<String> direct() {
    List<String> addresses = new ArrayList<>();
    servers.forEach((store, server) -> addresses.add(store + "=" + server.jdbc()));
    return addresses;
  }

  @Test
  void bothStoresAgreeWhenTheCoordinatorWasKilled() throws Exception {
    configure(Topologies.direct("R(ds1, ds2)", STORES));
    killedAndRecovered(direct());
  }

  @Test
  void soTheyDoWhereServersArePartsOfTheTransaction() throws Exception {
    configure(servers());
    List<String> addresses = new ArrayList<>();
    for (String name : new String[] {"m1", "m2"}) {
      EventLoopGroup threads = Manager.threads();
      String store = "ds" + name.substring(1);
      ObjectManager objects =
          Manager.of(
              topology,
              topology.manager(name),
              topology.manager(name).firstId(),
              Map.of(store, Map.of("jdbc", servers.get(store).jdbc())),
              threads,
              connections -> Coordinator.none());
      GenericServer server =
          new GenericServer(
              topology, topology.manager(name), objects, threads, "127.0.0.1", Map.of());
      open.add(server);
      addresses.add(name + "=" + server.endpoints().get("nio"));
    }
    killedAndRecovered(addresses);
  }

  private static String servers() {
    StringBuilder text = new StringBuilder(Topologies.TYPES);
    text.append("domains:\n  all: {code: 1, define: [SELECT FROM Customer], tree: ");
    text.append("\"R(ds1, ds2)\"}\nmanagers:\n");
    for (int i = 1; i <= 2; i++) {
      text.append("  m" + i + ":\n    id: " + i + "\n    exports: [all@ds" + i + "]\n");
      text.append("    listeners: [nio]\n    connections:\n");
      text.append("      - {adapter: jdbc, store: ds" + i + ", imports: [all@ds" + i + "]}\n");
    }
    text.append("  client:\n    ids: [10, 99]\n    connections:\n");
    for (int i = 1; i <= 2; i++) {
      text.append("      - {adapter: nio, server: m" + i + ", imports: [all@ds" + i + "]}\n");
    }
    return text.toString();
  }

  /** At every point, one after the other: the next process finds what the one before left. */
  private void killedAndRecovered(List<String> addresses) throws Exception {
    TreeSet<Integer> there = new TreeSet<>();
    for (CrashPoint point : CrashPoint.values()) {
      there.addAll(killCoordinator(10 * (point.ordinal() + 1), point, addresses));
    }
    try (Coordinating next = new Coordinating(100, 1, CrashPoint.BEFORE_PREPARE, 0, 0, addresses)) {
      assertEquals(List.of("100 COMMITTED"), next.until("done"));
      untilNothingIsInDoubt();
    }
    there.add(100);
    for (String store : STORES) {
      assertEquals(there, numbers(store), store);
    }
  }

  /** Two transactions, and one in which their coordinator is killed: what there must be then. */
  private List<Integer> killCoordinator(int first, CrashPoint point, List<String> addresses)
      throws Exception {
    try (Coordinating killed = new Coordinating(first, 9, point, BEFORE + 1, 0, addresses)) {
      List<String> expected = List.of(first + " COMMITTED", first + 1 + " COMMITTED");
      assertEquals(expected, killed.until("crash"), "before it was killed " + point);
    }
    boolean decided = point == CrashPoint.AFTER_DECISION || point == CrashPoint.BETWEEN_COMMITS;
    return decided ? List.of(first, first + 1, first + 2) : List.of(first, first + 1);
  }

  @Test
  @Tag("long")
  @Timeout(7200)
  void nothingIsLostInTwoHundredKills() throws Exception {
    configure(Topologies.direct("R(ds1, ds2)", STORES));
    Random random = new Random(200);
    TreeSet<Integer> there = new TreeSet<>();
    TreeSet<Integer> unknown = new TreeSet<>();
    for (int kill = 1; kill <= 200; kill++) {
      CrashPoint point = CrashPoint.values()[random.nextInt(CrashPoint.values().length)];
      int victim = random.nextInt(3);
      if (victim == 2) {
        there.addAll(killCoordinator(10 * kill, point, direct()));
      } else {
        List<String> said = killStore(STORES[victim], 10 * kill, point);
        there.addAll(ended(said, " COMMITTED"));
        unknown.addAll(ended(said, " UNKNOWN"));
      }
    }
    there.addAll(ended(killStore("ds1", 9_000, CrashPoint.BEFORE_PREPARE), " COMMITTED"));
    TreeSet<Integer> found = numbers("ds1");
    assertEquals(found, numbers("ds2"));
    unknown.retainAll(found);
    there.addAll(unknown);
    assertEquals(there, found, "of " + unknown + " nobody heard");
  }

  @Test
  void bothStoresAgreeWhenOneWasKilled() throws Exception {
    configure(Topologies.direct("R(ds1, ds2)", STORES));
    List<String> said = new ArrayList<>();
    for (CrashPoint point : CrashPoint.values()) {
      said.addAll(killStore("ds2", 10 * (point.ordinal() + 1), point));
    }
    TreeSet<Integer> committed = ended(said, " COMMITTED");
    TreeSet<Integer> most = ended(said, " UNKNOWN");
    most.addAll(committed);
    for (CrashPoint point : CrashPoint.values()) {
      int first = 10 * (point.ordinal() + 1);
      assertTrue(
          committed.containsAll(List.of(first, first + 1, first + 3)),
          "before " + point + " and after it: " + said);
    }
    TreeSet<Integer> there = numbers("ds1");
    assertEquals(there, numbers("ds2"), said.toString());
    assertTrue(there.containsAll(committed), said + ", and there are " + there);
    assertTrue(most.containsAll(there), said + ", and there are " + there);
  }

  /** Two transactions, one in which a store is killed, and one when it is there again. */
  private List<String> killStore(String store, int first, CrashPoint point) throws Exception {
    Path data = folder.resolve(store);
    long victim = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0));
    try (Coordinating coordinating =
        new Coordinating(first, BEFORE + 2, point, BEFORE + 1, victim, direct())) {
      List<String> said = coordinating.until("crash");
      int port = java.net.URI.create(servers.get(store).address()).getPort();
      servers.put(store, database.start(data, "127.0.0.1", port, store));
      coordinating.goOn();
      said.addAll(coordinating.until("done"));
      untilNothingIsInDoubt();
      return said;
    }
  }

  private static TreeSet<Integer> ended(List<String> said, String how) {
    TreeSet<Integer> numbers = new TreeSet<>();
    for (String line : said) {
      int space = line.indexOf(' ');
      if (line.startsWith(how, space)) {
        numbers.add(Integer.parseInt(line.substring(0, space)));
      }
    }
    return numbers;
  }

  private void untilNothingIsInDoubt() throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (inDoubt() > 0) {
      assertTrue(System.nanoTime() - end < 0, inDoubt() + " are in doubt after 30 s");
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  private int inDoubt() throws SQLException {
    int count = 0;
    for (String store : STORES) {
      count += numbers(store, "SELECT 1 FROM pg_prepared_xacts").size();
    }
    return count;
  }

  private TreeSet<Integer> numbers(String store) throws SQLException {
    return numbers(store, "SELECT \"customerNo\" FROM \"Customer\"");
  }

  private TreeSet<Integer> numbers(String store, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(servers.get(store).jdbc());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      TreeSet<Integer> numbers = new TreeSet<>();
      while (rows.next()) {
        numbers.add(rows.getInt(1));
      }
      return numbers;
    }
  }
}
