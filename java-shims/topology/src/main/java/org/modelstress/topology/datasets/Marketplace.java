package org.modelstress.topology.datasets;

import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Landlords and their accommodations, in countries of which each has a certain number of them, so
 * that a query by country has a result of a known size (Free Data Objects, 7.4). Where there are
 * customers, too, every accommodation can be reserved: one reservation that is nobody's has all its
 * days (7.1.1).
 */
public record Marketplace(int accommodations, int landlords, int customers) implements Dataset {
  /** The last day that reservations of an accommodation have; the first is 0. */
  public static final int LAST_DAY = 999_999;

  /** Numbers of accommodations of a country; 0 is a country that nobody is in. */
  public static final List<Integer> SIZES = List.of(1, 5, 10, 15, 20, 50, 100);

  private static final int PER_SIZE = SIZES.stream().mapToInt(Integer::intValue).sum();
  private static final int APART = 1_000;

  /** How many countries there are of each size. */
  public int countries() {
    return Math.min(accommodations / PER_SIZE, APART);
  }

  /**
   * The code of a country.
   *
   * @param size accommodations in it, one of {@link #SIZES} or 0
   * @param number of the country among those of this size, from 0
   * @throws IllegalArgumentException where there are none of this size
   */
  public static int code(int size, int number) {
    int index = size == 0 ? 0 : SIZES.indexOf(size) + 1;
    if (index == 0 && size != 0) {
      throw new IllegalArgumentException(
          "no country has " + size + " accommodations; there are some with 0 and " + SIZES);
    }
    return index * APART + number;
  }

  @Override
  public long size() {
    long reservations = customers > 0 ? accommodations : 0;
    return accommodations + landlords + customers + reservations;
  }

  @Override
  public void fill(Objects to, RandomGenerator random) throws DatasetException {
    for (int number = 1; number <= customers; number++) {
      to.add(Customers.TYPE, Customers.values(number, random));
    }
    long[] owners = new long[landlords];
    for (int i = 0; i < landlords; i++) {
      owners[i] = to.add("Landlord", landlord(random));
    }
    int left = accommodations;
    for (int size : SIZES) {
      for (int country = 0; country < countries(); country++) {
        for (int i = 0; i < size; i++, left--) {
          accommodation(to, code(size, country), owners[random.nextInt(landlords)], random);
        }
      }
    }
    int rest = code(SIZES.get(SIZES.size() - 1), APART); // a country that is never asked for
    for (; left > 0; left--) {
      accommodation(to, rest, owners[random.nextInt(landlords)], random);
    }
  }

  /** Name, address, phone and email, 90 bytes. */
  public static Object[] landlord(RandomGenerator random) {
    return new Object[] {
      Customers.text(20, random),
      Customers.text(30, random),
      Customers.text(15, random),
      Customers.text(25, random)
    };
  }

  private void accommodation(Objects to, int country, long owner, RandomGenerator random)
      throws DatasetException {
    long oid = to.add("Accommodation", accommodation(country, owner, random));
    if (customers > 0) {
      to.add("Reservation", oid, 0, LAST_DAY, null);
    }
  }

  /**
   * Attributes of an accommodation, 87 bytes beside the country.
   *
   * @param country its code
   * @param owner identifier of its landlord, or null
   */
  public static Object[] accommodation(int country, Long owner, RandomGenerator random) {
    return new Object[] {
      country,
      Customers.text(20, random),
      description(random),
      random.nextInt(5),
      random.nextDouble() * 180 - 90,
      random.nextDouble() * 360 - 180,
      1 + random.nextInt(8),
      random.nextBoolean(),
      owner,
      random.nextBoolean(),
      (float) random.nextInt(10_000),
      20f + random.nextInt(500)
    };
  }

  /** How an accommodation is praised. */
  public static String description(RandomGenerator random) {
    return Customers.text(30, random);
  }
}
