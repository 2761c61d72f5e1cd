package org.modelstress.topology.check;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.modelstress.topology.Processes;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.datasets.Dataset;

/** Every rule notices when it is broken. */
class StoreCheckTest {
  private static final Map<String, Object> SMALL =
      Map.of("accommodations", 201, "landlords", 2, "customers", 5);

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Map<String, String> urls = new HashMap<>();

  private Topology loaded(String distribution, String dataset, Map<String, Object> parameters)
      throws Exception {
    Topology topology = Processes.distribution(distribution);
    for (String store : topology.stores().keySet()) {
      urls.put(store, Processes.store(store, open));
    }
    Processes.load(topology, urls, Dataset.of(dataset, parameters));
    assertNull(StoreCheck.problem(topology, urls, dataset));
    return topology;
  }

  private void execute(String store, String sql) throws Exception {
    try (Connection connection = DriverManager.getConnection(urls.get(store));
        Statement statement = connection.createStatement()) {
      assertTrue(statement.executeUpdate(sql) > 0, sql);
    }
  }

  @AfterEach
  void end() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  private static void said(String expected, String message) {
    assertNotNull(message, expected);
    assertTrue(message.contains(expected), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ds2 | UPDATE \"Reservation\" SET \"firstDay\" = 1 WHERE \"oid\" IN (SELECT MIN(\"oid\") FROM \"Reservation\") | day 0 is due",
        "ds2 | UPDATE \"Reservation\" SET \"lastDay\" = 9 WHERE \"oid\" IN (SELECT MIN(\"oid\") FROM \"Reservation\") | its reservations end before day 10",
        "ds2 | DELETE FROM \"Accommodation\" WHERE \"oid\" IN (SELECT MIN(\"oid\") FROM \"Accommodation\") | is of an accommodation that is not there",
        "ds1 | DELETE FROM \"Landlord\" | has a landlord who is not there",
        "ds2 | UPDATE \"Reservation\" SET \"reservedBy\" = 5 | is of a customer who is not there",
        "ds3 | UPDATE \"Customer\" SET \"customerNo\" = 3 | customer 3 is twice in store ds3",
      })
  void theMarketplacesRules(String store, String sql, String expected) throws Exception {
    Topology topology = loaded("three-stores", "marketplace-1", SMALL);
    execute(store, sql);
    said(expected, StoreCheck.problem(topology, urls, "marketplace-1"));
  }

  @Test
  void freeDaysSideBySide() throws Exception {
    Topology topology = loaded("three-stores", "marketplace-1", SMALL);
    execute(
        "ds2",
        "INSERT INTO \"Reservation\" SELECT \"oid\" + 1, 0, \"accommodation\", 500, "
            + "\"lastDay\", NULL FROM \"Reservation\" WHERE \"oid\" IN (SELECT MIN(\"oid\") FROM \"Reservation\")");
    execute(
        "ds2",
        "UPDATE \"Reservation\" SET \"lastDay\" = 499 WHERE \"oid\" IN (SELECT MIN(\"oid\") FROM \"Reservation\")");
    said(
        "free days stand side by side at day 500",
        StoreCheck.problem(topology, urls, "marketplace-1"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UPDATE \"Customer\" SET \"contact\" = 'another' WHERE \"customerNo\" = 7 | differ: they have 50 and 50 of Customer",
        "DELETE FROM \"Customer\" WHERE \"customerNo\" = 7 | differ: they have 50 and 49 of Customer",
      })
  void replicasThatDiffer(String sql, String expected) throws Exception {
    Topology topology = loaded("replicated", "customers", Map.of("customers", 50));
    execute("ds2", sql);
    said(expected, StoreCheck.problem(topology, urls, "customers"));
  }

  @Test
  void anObjectInTwoPlaces() throws Exception {
    Topology topology = loaded("ad-hoc", "customers", Map.of("customers", 50));
    Map<Long, ?> objects;
    try (OpenStores stores = new OpenStores(topology, Map.of("ds1", urls.get("ds1")))) {
      objects = stores.objects("Customer");
    }
    long oid = objects.keySet().iterator().next();
    execute("ds2", "INSERT INTO \"Customer\" VALUES (" + oid + ", 0, 'a', 'b', 'c', TRUE, 900)");
    said("Customer " + oid + " is in ", StoreCheck.problem(topology, urls, "customers"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UPDATE \"Ride\" SET \"reservedSeats\" = \"reservedSeats\" + 1 WHERE \"id\" = 205 | ride 205 has 1143 seats reserved, its reservations have 1142",
        "UPDATE \"RouteDay\" SET \"total\" = 1 WHERE \"id\" = 101 | day 101 has a total of 1, and its rides have 2354",
      })
  void theFerrysRules(String sql, String expected) throws Exception {
    Topology topology = loaded("one-store", "ferry", Map.of());
    execute("ds1", sql);
    said(expected, StoreCheck.problem(topology, urls, "ferry"));
  }
}
