package org.modelstress.topology.data;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Identifiers of data objects, which nobody else gives to another one: 6 bits say in which store an
 * object began, 14 which object manager made it, and 43 count, from the clock of the manager's
 * start on (64 per millisecond since 2026), so that a manager that starts again does not repeat
 * what it gave. Where a clock was set back, the stores' primary keys refuse what was given before.
 */
public final class Oids {
  /** Largest number of a store. */
  public static final int MOST_STORES = 63;

  /** Largest number of an object manager. */
  public static final int MOST_MANAGERS = (1 << 14) - 1;

  private static final int COUNT_BITS = 43;
  private static final int MANAGER_BITS = 14;
  private static final long BEGIN_MILLIS = 1_767_225_600_000L; // 2026-01-01
  private static final int PER_MILLI_BITS = 6;

  private final int manager;
  private final AtomicLong count;

  /** Identifiers of a manager that starts now. */
  public Oids(int manager) {
    this(manager, System.currentTimeMillis());
  }

  Oids(int manager, long startMillis) {
    this.manager = manager;
    this.count = new AtomicLong((startMillis - BEGIN_MILLIS) << PER_MILLI_BITS);
  }

  /** A new identifier of an object that begins in a store. */
  public long next(int store) {
    long number = count.getAndIncrement() & (1L << COUNT_BITS) - 1;
    return of(store, manager, number);
  }

  /** The identifier with these parts. */
  public static long of(int store, int manager, long number) {
    return (long) store << COUNT_BITS + MANAGER_BITS | (long) manager << COUNT_BITS | number;
  }

  /** The store in which an object began; a tool may have moved it since. */
  public static int store(long oid) {
    return (int) (oid >>> COUNT_BITS + MANAGER_BITS);
  }
}
