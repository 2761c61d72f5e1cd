package org.modelstress.topology.datasets;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * A ferry line with three days, twelve rides and 2,145 reservations of 1 to 6 seats, 7,500 seats
 * together (Free Data Objects, 7.7; where the scan is damaged, what the printed totals ask for).
 */
public final class Ferry implements Dataset {
  /** Reservations; each has a customer of its own. */
  public static final int RESERVATIONS = 2_145;

  /** Seats of all of them. */
  public static final int SEATS = 7_500;

  private static final int MOST_SEATS = 6;

  private record Ship(int number, int seats) {}

  private record Day(int number, int day, int total, int minimum) {}

  private record Ride(int number, int departure, int reserved, double fare, int day, int ship) {}

  private static final List<Ship> SHIPS =
      List.of(
          new Ship(300, 1500),
          new Ship(301, 1000),
          new Ship(302, 750),
          new Ship(303, 750),
          new Ship(304, 250));

  private static final List<Day> DAYS =
      List.of(
          new Day(100, 0, 2684, 2500), new Day(101, 1, 2354, 1875), new Day(102, 2, 2462, 1500));

  private static final List<Ride> RIDES =
      List.of(
          new Ride(200, 430, 268, 100, 100, 301),
          new Ride(201, 930, 678, 120, 100, 302),
          new Ride(202, 1215, 82, 80, 100, 303),
          new Ride(203, 1645, 510, 99.95, 100, 301),
          new Ride(204, 2330, 1146, 130, 100, 300),
          new Ride(205, 415, 1142, 110, 101, 300),
          new Ride(206, 1100, 430, 105, 101, 303),
          new Ride(207, 2330, 782, 110, 101, 301),
          new Ride(208, 420, 899, 160, 102, 301),
          new Ride(209, 1345, 155, 105, 102, 304),
          new Ride(210, 1715, 570, 140, 102, 303),
          new Ride(211, 2225, 838, 90, 102, 301));

  @Override
  public long size() {
    return 1L + SHIPS.size() + DAYS.size() + RIDES.size() + 2L * RESERVATIONS;
  }

  @Override
  public void fill(Objects to, RandomGenerator random) throws DatasetException {
    long route = to.add("Route", 0, "Dublin", "Liverpool", 730);
    Map<Integer, Long> ships = new HashMap<>();
    for (Ship ship : SHIPS) {
      ships.put(ship.number, to.add("Ferry", ship.number, ship.seats));
    }
    Map<Integer, Long> days = new HashMap<>();
    for (Day day : DAYS) {
      days.put(day.number, to.add("RouteDay", day.number, day.day, day.total, day.minimum, route));
    }
    int[] counts = counts();
    int number = 1;
    for (int i = 0; i < RIDES.size(); i++) {
      Ride ride = RIDES.get(i);
      long oid =
          to.add(
              "Ride",
              ride.number,
              ride.departure,
              ride.reserved,
              ride.fare,
              days.get(ride.day),
              ships.get(ride.ship));
      for (int seats : split(ride.reserved, counts[i], random)) {
        long customer = to.add(Customers.TYPE, Customers.values(number, random));
        to.add("SeatReservation", number++, seats, oid, customer);
      }
    }
  }

  /** Reservations of each ride, by largest remainders: 2,145 together. */
  static int[] counts() {
    int[] counts = new int[RIDES.size()];
    List<Integer> byRemainder = new ArrayList<>();
    int given = 0;
    for (int i = 0; i < counts.length; i++) {
      counts[i] = RIDES.get(i).reserved * RESERVATIONS / SEATS;
      given += counts[i];
      byRemainder.add(i);
    }
    byRemainder.sort(
        (a, b) ->
            Integer.compare(
                RIDES.get(b).reserved * RESERVATIONS % SEATS,
                RIDES.get(a).reserved * RESERVATIONS % SEATS));
    for (int i = 0; given < RESERVATIONS; i++, given++) {
      counts[byRemainder.get(i)]++;
    }
    return counts;
  }

  /** So many numbers from 1 to 6 with a given sum, in random order. */
  static List<Integer> split(int sum, int count, RandomGenerator random) {
    Integer[] seats = new Integer[count];
    for (int i = 0; i < count; i++) {
      seats[i] = sum / count + (i < sum % count ? 1 : 0);
    }
    for (int i = 0; i < 10 * count; i++) { // pass single seats on, as long as they fit
      int from = random.nextInt(count);
      int to = random.nextInt(count);
      if (from != to && seats[from] > 1 && seats[to] < MOST_SEATS) {
        seats[from]--;
        seats[to]++;
      }
    }
    List<Integer> all = Arrays.asList(seats);
    Collections.shuffle(all, new Random(random.nextLong()));
    return all;
  }
}
