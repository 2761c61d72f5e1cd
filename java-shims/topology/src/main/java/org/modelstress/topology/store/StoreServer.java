package org.modelstress.topology.store;

/** A database server of this process, with one store. */
public interface StoreServer extends AutoCloseable {
  /** Where clients reach it, as {@link Addresses} reads it. */
  String address();

  /** The same for JDBC. */
  default String jdbc() {
    return Addresses.jdbc(address());
  }

  /** Ends it as its users would; what was committed is on the disk. */
  @Override
  void close();
}
