package org.modelstress.databases;

/** A database server of this process, with one store. */
public interface DatabaseServer extends AutoCloseable {
  /** Where clients reach it, as {@link Addresses} reads it. */
  String address();

  /** The same for JDBC. */
  default String jdbc() {
    return Addresses.jdbc(address());
  }

  /**
   * Ends it as {@link #close} does, and lets it take its time: what was loaded is in its files.
   *
   * @param seconds how long at most
   */
  default void endWithin(long seconds) {
    close();
  }

  /** Ends it as its users would; what was committed is on the disk. */
  @Override
  void close();
}
