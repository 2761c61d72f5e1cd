package org.modelstress.topology.datasets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DatasetTest {
  private record Made(String type, Object[] values) {}

  private static List<Made> made(Dataset dataset) throws DatasetException {
    List<Made> all = new ArrayList<>();
    dataset.fill(
        (type, values) -> {
          all.add(new Made(type, values));
          return all.size();
        },
        new Random(1));
    assertEquals(dataset.size(), all.size());
    return all;
  }

  @Test
  void theFerrysSumsAreThoseThatArePrinted() throws Exception {
    Map<Object, Integer> seatsOfRide = new HashMap<>();
    Map<Object, Integer> reservedOfRide = new HashMap<>();
    Map<Object, Integer> reservedOfDay = new HashMap<>();
    Map<Object, Integer> totalOfDay = new HashMap<>();
    int reservations = 0;
    long oid = 0;
    for (Made object : made(Dataset.of("ferry", Map.of()))) {
      oid++;
      switch (object.type) {
        case "SeatReservation" -> {
          reservations++;
          int seats = (Integer) object.values[1];
          assertTrue(seats >= 1 && seats <= 6, "seats " + seats);
          seatsOfRide.merge(object.values[2], seats, Integer::sum);
        }
        case "Ride" -> {
          reservedOfRide.put(oid, (Integer) object.values[2]);
          reservedOfDay.merge(object.values[4], (Integer) object.values[2], Integer::sum);
        }
        case "RouteDay" -> totalOfDay.put(oid, (Integer) object.values[2]);
        default -> {
          // nothing is summed
        }
      }
    }
    assertEquals(2145, reservations);
    assertEquals(reservedOfRide, seatsOfRide);
    assertEquals(totalOfDay, reservedOfDay);
    assertEquals(7500, reservedOfRide.values().stream().mapToInt(Integer::intValue).sum());
  }

  @Test
  void countriesHaveTheirNumberOfAccommodations() throws Exception {
    Marketplace market =
        (Marketplace) Dataset.of("marketplace", Map.of("accommodations", 5000, "landlords", 10));
    Map<Object, Integer> ofCountry = new HashMap<>();
    for (Made object : made(market)) {
      if (object.type.equals("Accommodation")) {
        ofCountry.merge(object.values[0], 1, Integer::sum);
      }
    }
    assertEquals(24, market.countries());
    for (int size : Marketplace.SIZES) {
      for (int country = 0; country < market.countries(); country++) {
        assertEquals(size, ofCountry.get(Marketplace.code(size, country)));
      }
    }
    assertEquals(null, ofCountry.get(Marketplace.code(0, 3)));
    assertThrows(IllegalArgumentException.class, () -> Marketplace.code(7, 0));
  }

  @Test
  void whereThereAreCustomersEveryAccommodationHasAllItsDays() throws Exception {
    Map<String, Object> parameters = Map.of("accommodations", 300, "landlords", 4, "customers", 7);
    Map<String, Integer> counts = new HashMap<>();
    for (Made object : made(Dataset.of("marketplace-300", parameters))) {
      counts.merge(object.type, 1, Integer::sum);
      if (object.type.equals("Reservation")) {
        assertEquals(List.of(0, Marketplace.LAST_DAY), List.of(object.values[1], object.values[2]));
        assertEquals(null, object.values[3]);
      }
    }
    assertEquals(
        Map.of("Landlord", 4, "Customer", 7, "Accommodation", 300, "Reservation", 300), counts);
  }

  @Test
  void whatIsNotKnownIsSaid() {
    assertEquals(
        "there is no dataset people; there are customers, marketplace and ferry",
        assertThrows(DatasetException.class, () -> Dataset.of("people", Map.of())).getMessage());
    assertEquals(
        "dataset customers has no parameter costumers; it has [customers]",
        assertThrows(DatasetException.class, () -> Dataset.of("customers", Map.of("costumers", 10)))
            .getMessage());
    assertEquals(
        "dataset customers: customers is 3; it is a whole number from 10 to 10000000",
        assertThrows(DatasetException.class, () -> Dataset.of("customers", Map.of("customers", 3)))
            .getMessage());
  }
}
