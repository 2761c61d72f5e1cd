package org.modelstress.topology.move;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.modelstress.topology.Processes;
import org.modelstress.topology.Topologies;
import org.modelstress.topology.check.StoreCheck;
import org.modelstress.topology.config.ConfigException;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.jdbc.SchemaCreator;
import org.modelstress.topology.datasets.Dataset;

class ObjectMoverTest {
  private static final String MARKET = "marketplace-1";

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Map<String, String> urls = new HashMap<>();

  @BeforeEach
  void begin() throws Exception {
    for (String store : new String[] {"ds1", "ds2", "ds3"}) {
      urls.put(store, Processes.store(store, open));
    }
  }

  @AfterEach
  void end() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  private Topology loaded(String distribution, String dataset, Map<String, Object> parameters)
      throws Exception {
    Topology topology = Processes.distribution(distribution);
    Map<String, String> its = Processes.of(topology, urls);
    Processes.load(topology, its, Dataset.of(dataset, parameters));
    return topology;
  }

  private long move(Topology before, Topology after) throws Exception {
    try (ObjectMover mover = new ObjectMover(before, after, urls, done -> {})) {
      return mover.move();
    }
  }

  private String problem(Topology topology, String dataset) throws SQLException {
    return StoreCheck.problem(topology, Processes.of(topology, urls), dataset);
  }

  /** Everything of a type in a store, as text. */
  private TreeSet<String> rows(String store, String type) throws SQLException {
    TreeSet<String> all = new TreeSet<>();
    try (Connection connection = DriverManager.getConnection(urls.get(store));
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery("SELECT * FROM \"" + type + '"')) {
      while (found.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
          row.append(found.getObject(i)).append(' ');
        }
        all.add(row.toString());
      }
    }
    return all;
  }

  private Topology market() throws Exception {
    return loaded(
        "one-store", MARKET, Map.of("accommodations", 700, "landlords", 2, "customers", 600));
  }

  @Test
  void domainsMoveToStoresOfTheirOwn() throws Exception {
    Topology one = market();
    TreeSet<String> houses = rows("ds1", "Accommodation");
    TreeSet<String> customers = rows("ds1", "Customer");
    Topology three = Processes.distribution("three-stores");
    assertEquals(700 + 700 + 600, move(one, three), "landlords stay");
    assertEquals(houses, rows("ds2", "Accommodation"));
    assertEquals(customers, rows("ds3", "Customer"));
    assertTrue(rows("ds1", "Accommodation").isEmpty() && rows("ds1", "Reservation").isEmpty());
    assertNull(problem(three, MARKET));
    assertEquals(0, move(one, three), "nothing is left to be moved");
    assertEquals(2000, move(three, one), "and back");
    assertEquals(houses, rows("ds1", "Accommodation"));
    assertNull(problem(one, MARKET));
  }

  @Test
  void whoIsInterruptedBeginsAgain() throws Exception {
    Topology one = market();
    Topology three = Processes.distribution("three-stores");
    TreeSet<String> customers = rows("ds1", "Customer");
    class Interrupted extends RuntimeException {
      private static final long serialVersionUID = 1L;
    }
    for (int most : new int[] {100, 600, 400}) { // so many more, and then none
      assertThrows(
          Interrupted.class,
          () -> {
            try (ObjectMover mover =
                new ObjectMover(
                    one,
                    three,
                    urls,
                    done -> {
                      if (done > most) {
                        throw new Interrupted();
                      }
                    })) {
              mover.move();
            }
          });
    }
    try (Connection connection = DriverManager.getConnection(urls.get("ds3"));
        Connection from = DriverManager.getConnection(urls.get("ds1"));
        Statement insert = connection.createStatement();
        Statement select = from.createStatement();
        ResultSet first = select.executeQuery("SELECT * FROM \"Customer\" ORDER BY \"oid\"")) {
      if (first.next()) { // as one that was killed between the two stores leaves it
        insert.executeUpdate(
            "INSERT INTO \"Customer\" VALUES (%d, %d, '%s', '%s', '%s', %s, %d)"
                .formatted(
                    first.getLong(1),
                    first.getInt(2),
                    first.getString(3),
                    first.getString(4),
                    first.getString(5),
                    first.getBoolean(6),
                    first.getInt(7)));
      }
    }
    move(one, three);
    assertEquals(customers, rows("ds3", "Customer"));
    assertNull(problem(three, MARKET));
  }

  @ParameterizedTest
  @CsvSource({
    "one-store, replicated, 60",
    "replicated, one-store, 60",
    "one-store, ad-hoc, 0",
    "replicated, ad-hoc, 60",
    "ad-hoc, replicated, 60"
  })
  void copiesComeAndGo(String from, String to, long moved) throws Exception {
    Topology before = loaded(from, "customers", Map.of("customers", 60));
    Topology after = Processes.distribution(to);
    assertEquals(moved, move(before, after));
    assertNull(problem(after, "customers"));
    TreeSet<String> all = rows("ds1", "Customer");
    if (after.stores().containsKey("ds2")) {
      all.addAll(rows("ds2", "Customer"));
    }
    assertEquals(60, all.size());
  }

  /** Objects whose stores overlap with those that others leave. */
  @Test
  void placesMayOverlapCrosswise() throws Exception {
    String types =
        Topologies.TYPES + "domains:\n  all: {code: 1, define: [SELECT FROM Customer], tree: ";
    Topology before = Topologies.of(types + "\"I(ds1, R(ds2, ds3))\"}\n");
    Topology after = Topologies.of(types + "\"I(R(ds1, ds2), ds3)\"}\n");
    for (Map.Entry<String, String> url : urls.entrySet()) {
      SchemaCreator.create(url.getValue(), before, url.getKey());
    }
    for (int oid = 1; oid <= 40; oid++) {
      for (String store : oid % 2 == 0 ? new String[] {"ds1"} : new String[] {"ds2", "ds3"}) {
        try (Connection connection = DriverManager.getConnection(urls.get(store));
            Statement insert = connection.createStatement()) {
          insert.executeUpdate(
              "INSERT INTO \"Customer\" VALUES (" + oid + ", 3, 'n', 'c', " + oid + ", 5)");
        }
      }
    }
    move(before, after);
    assertNull(StoreCheck.problem(after, urls, "customers"));
    TreeSet<String> all = rows("ds1", "Customer");
    assertTrue(all.size() >= 20, "what was in ds1 stays");
    all.addAll(rows("ds3", "Customer"));
    assertEquals(40, all.size());
  }

  @Test
  void whatFitsNowhereIsSaid() throws Exception {
    Topology before = market();
    Topology after = Processes.distribution("partitioned");
    assertTrue(
        assertThrows(ConfigException.class, () -> move(before, after))
            .getMessage()
            .startsWith("no domain of the new distribution has "));
    urls.remove("ds2");
    assertEquals(
        "stores: the address of store ds2 is missing",
        assertThrows(ConfigException.class, () -> move(before, after)).getMessage());
  }
}
