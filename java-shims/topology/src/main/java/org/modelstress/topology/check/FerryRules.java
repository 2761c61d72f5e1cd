package org.modelstress.topology.check;

import java.sql.SQLException;
import java.util.List;
import org.modelstress.topology.datasets.Ferry;

/** The ferry line (Free Data Objects, 7.7.1): seats are what reservations say, and fit. */
final class FerryRules {
  private static final String SEATS =
      """
      SELECT r."id", r."reservedSeats", f."seats", COALESCE(SUM(v."seats"), 0)
      FROM "Ride" r JOIN "Ferry" f ON r."ferry" = f."oid"
      LEFT JOIN "SeatReservation" v ON v."ride" = r."oid"
      GROUP BY r."id", r."reservedSeats", f."seats" ORDER BY r."id"
      """;

  private static final String DAYS =
      """
      SELECT d."id", d."total", COALESCE(SUM(r."reservedSeats"), 0)
      FROM "RouteDay" d LEFT JOIN "Ride" r ON r."routeDay" = d."oid"
      GROUP BY d."id", d."total" ORDER BY d."id"
      """;

  private FerryRules() {}

  static String seatsAreThoseOfReservations(OpenStores stores) throws SQLException {
    String store = stores.with("Ride").get(0); // scenario 7 has one
    long all = 0;
    for (List<Object> row : stores.rows(store, SEATS)) {
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
    for (List<Object> row : stores.rows(store, DAYS)) {
      if (((Number) row.get(1)).longValue() != ((Number) row.get(2)).longValue()) {
        return String.format(
            "day %s has a total of %s, and its rides have %s", row.get(0), row.get(1), row.get(2));
      }
    }
    return all == Ferry.SEATS ? null : "there are " + all + " seats instead of " + Ferry.SEATS;
  }
}
