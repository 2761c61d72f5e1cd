package org.modelstress.topology.manager;

import java.util.ArrayList;
import java.util.Map;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.wire.Reply.Ended;
import org.modelstress.topology.wire.Write;

/** Ends transactions on several servers or stores, all of their parts or none. */
public interface Coordinator extends AutoCloseable {
  /**
   * Ends a transaction by two phases.
   *
   * @param writes of each connection
   * @param timeoutMillis of each request
   */
  Ended commit(Map<Connection, ArrayList<Write>> writes, long timeoutMillis);

  @Override
  void close();

  /** For processes that never write to several: refuses. */
  static Coordinator none() {
    return new Coordinator() {
      @Override
      public Ended commit(Map<Connection, ArrayList<Write>> writes, long timeoutMillis) {
        throw new IllegalArgumentException(
            "a transaction writes to several stores, and this process has no transaction log");
      }

      @Override
      public void close() {
        // nothing is open
      }
    };
  }
}
