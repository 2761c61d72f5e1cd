package org.modelstress.topology.tool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.modelstress.topology.datasets.Ferry;
import org.modelstress.topology.store.Addresses;

/**
 * Looks into the stores after a measurement: nothing is in doubt, replicas are equal, no customer
 * is there twice, and the seats of the ferry line are what its reservations say.
 */
public final class StoreCheck {
  private static final String SEATS =
      """
      SELECT r."id", r."reservedSeats", f."seats", COALESCE(SUM(v."seats"), 0)
      FROM "Ride" r JOIN "Ferry" f ON r."ferry" = f."oid"
      LEFT JOIN "Reservation" v ON v."ride" = r."oid"
      GROUP BY r."id", r."reservedSeats", f."seats" ORDER BY r."id"
      """;

  private static final String DAYS =
      """
      SELECT d."id", d."total", COALESCE(SUM(r."reservedSeats"), 0)
      FROM "RouteDay" d LEFT JOIN "Ride" r ON r."routeDay" = d."oid"
      GROUP BY d."id", d."total" ORDER BY d."id"
      """;

  private static final String TWICE =
      "SELECT \"customerNo\" FROM \"Customer\" GROUP BY \"customerNo\" HAVING COUNT(*) > 1";

  /** Equal in two stores that have the same customers in the same state. */
  private static final String CUSTOMERS =
      "SELECT COUNT(*), SUM(\"oid\" % 1000003 * (\"version\" + 1)), "
          + "MIN(\"contact\"), MAX(\"contact\") FROM \"Customer\"";

  private final Map<String, String> stores;
  private final String dataset;
  private final String distribution;

  private StoreCheck(Map<String, String> stores, String dataset, String distribution) {
    this.stores = stores;
    this.dataset = dataset;
    this.distribution = distribution;
  }

  /** {@code --config FILE}, as {@code docs/contracts.md} has it for invariants. */
  public static void main(String[] args) throws Exception {
    ObjectMapper json = new ObjectMapper();
    JsonNode config = json.readTree(Path.of(args[1]).toFile());
    Map<String, String> stores = new LinkedHashMap<>();
    config
        .path("endpoints")
        .fields()
        .forEachRemaining(
            node -> {
              String address = node.getValue().elements().next().asText();
              if (Addresses.isStore(address)) {
                stores.put(node.getKey(), Addresses.jdbc(address));
              }
            });
    StoreCheck check =
        new StoreCheck(
            stores,
            config.path("dataset").path("name").asText(),
            config.path("levels").path("distribution").asText());
    String wrong = check.problem();
    String message = wrong == null ? "the stores are as they must be" : wrong;
    System.out.println(json.writeValueAsString(Map.of("holds", wrong == null, "message", message)));
  }

  /** A sentence where something is wrong, else null. */
  private String problem() throws SQLException, IOException {
    List<List<Object>> customers = new ArrayList<>();
    for (Map.Entry<String, String> store : stores.entrySet()) {
      try (Connection connection = DriverManager.getConnection(store.getValue());
          Statement statement = connection.createStatement()) {
        String wrong = problem(store.getKey(), statement);
        if (wrong != null) {
          return wrong;
        }
        customers.addAll(rows(statement, CUSTOMERS));
      }
    }
    if (distribution.equals("replicated") && customers.stream().distinct().count() > 1) {
      return "stores that are replicas of one another differ: " + customers;
    }
    return null;
  }

  private String problem(String store, Statement statement) throws SQLException {
    String product = statement.getConnection().getMetaData().getDatabaseProductName();
    if (product.equals("PostgreSQL")) {
      List<List<Object>> doubt = rows(statement, "SELECT gid FROM pg_prepared_xacts");
      if (!doubt.isEmpty()) {
        return doubt.size() + " transactions of store " + store + " are in doubt";
      }
    }
    List<List<Object>> twice = rows(statement, TWICE);
    if (!twice.isEmpty()) {
      return "customer " + twice.get(0).get(0) + " is twice in store " + store;
    }
    return dataset.equals("ferry") ? seats(statement) : null;
  }

  private static String seats(Statement statement) throws SQLException {
    long all = 0;
    for (List<Object> row : rows(statement, SEATS)) {
      long reserved = ((Number) row.get(1)).longValue();
      long capacity = ((Number) row.get(2)).longValue();
      long sum = ((Number) row.get(3)).longValue();
      all += sum;
      if (reserved != sum || reserved > capacity) {
        return String.format(
            "ride %s has %d seats reserved, its reservations have %d, its ferry %d",
            row.get(0), reserved, sum, capacity);
      }
    }
    for (List<Object> row : rows(statement, DAYS)) {
      if (((Number) row.get(1)).longValue() != ((Number) row.get(2)).longValue()) {
        return String.format(
            "day %s has a total of %s, and its rides have %s", row.get(0), row.get(1), row.get(2));
      }
    }
    return all == Ferry.SEATS ? null : "there are " + all + " seats instead of " + Ferry.SEATS;
  }

  private static List<List<Object>> rows(Statement statement, String sql) throws SQLException {
    try (ResultSet found = statement.executeQuery(sql)) {
      List<List<Object>> rows = new ArrayList<>();
      while (found.next()) {
        List<Object> row = new ArrayList<>();
        for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
          row.add(found.getObject(i));
        }
        rows.add(row);
      }
      return rows;
    }
  }
}
