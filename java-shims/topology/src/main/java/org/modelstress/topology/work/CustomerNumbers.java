package org.modelstress.topology.work;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Numbers of customers that the clients of one process make: none is given twice, however often a
 * client opens a session anew. One whose transaction failed is not given again, either: nobody
 * knows of it for certain that it is free.
 */
public final class CustomerNumbers {
  /** Above those of the customers of a data set. */
  static final int FIRST = 1_000_000;

  /** Numbers of one process. */
  static final int OF_PROCESS = 10_000_000;

  private final AtomicInteger next;

  /**
   * The numbers of a process.
   *
   * @param process its number, from 0
   * @throws IllegalArgumentException when there are no numbers for it
   */
  public CustomerNumbers(int process) {
    if (process < 0 || process > (Integer.MAX_VALUE - FIRST) / OF_PROCESS - 1) {
      throw new IllegalArgumentException(
          "client process " + process + " has no numbers for new customers");
    }
    next = new AtomicInteger(FIRST + process * OF_PROCESS);
  }

  int next() {
    return next.getAndIncrement();
  }
}
