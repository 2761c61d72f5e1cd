package org.modelstress.topology.config;

import java.util.Set;

/**
 * A connection of an object manager to a server or a store.
 *
 * @param adapter by which protocol
 * @param peer name of the manager or store
 * @param imports what it is used for
 */
public record Link(Adapter adapter, String peer, Set<Part> imports) {
  /** Protocols between processes. */
  public enum Adapter {
    /** Java serialisation on blocking sockets, two threads for each connection. */
    SERIALIZED,
    /** A compact format of this project on non-blocking sockets, few threads. */
    NIO,
    /** Protocol buffers over gRPC. */
    GRPC,
    /** Wrapper objects of Java RMI: no object manager on the client's side. */
    RMI,
    /** SQL to a store. */
    JDBC;

    /** The word of configuration files. */
    public String word() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }
}
