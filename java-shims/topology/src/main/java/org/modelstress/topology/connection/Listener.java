package org.modelstress.topology.connection;

import java.net.InetSocketAddress;

/** Where clients reach an object manager, by one protocol. */
public interface Listener extends AutoCloseable {
  /** Where it listens. */
  InetSocketAddress address();

  /** Ends it, and the connections of its clients. */
  @Override
  void close();
}
