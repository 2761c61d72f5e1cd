package org.modelstress.topology.datasets;

import java.util.random.RandomGenerator;

/**
 * Customers with strings of 18, 27 and 15 characters, a truth value and the numbers 1, 2, 3 … (Free
 * Data Objects, 7.2.1).
 */
public record Customers(int customers) implements Dataset {
  /** Name of the type. */
  public static final String TYPE = "Customer";

  private static final int NAME = 18;
  private static final int ADDRESS = 27;
  private static final int CONTACT = 15;

  @Override
  public long size() {
    return customers;
  }

  @Override
  public void fill(Objects to, RandomGenerator random) throws DatasetException {
    for (int number = 1; number <= customers; number++) {
      to.add(TYPE, values(number, random));
    }
  }

  /** Name, address, contact, whether premium, number. */
  public static Object[] values(int number, RandomGenerator random) {
    return new Object[] {
      text(NAME, random), text(ADDRESS, random), contact(random), random.nextBoolean(), number
    };
  }

  /** How somebody is contacted. */
  public static String contact(RandomGenerator random) {
    return text(CONTACT, random);
  }

  static String text(int length, RandomGenerator random) {
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append((char) ('a' + random.nextInt(26)));
    }
    return text.toString();
  }
}
