package org.modelstress.topology.connection;

import java.util.Set;
import org.modelstress.topology.config.Part;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Request;

/** A connection of an object manager to a server or a store; used by many threads at once. */
public interface Connection extends AutoCloseable {
  /** What it can be asked about. */
  Set<Part> imports();

  /** Name of the server or store. */
  String peer();

  /**
   * Asks and waits for the reply.
   *
   * @param request what is asked
   * @param timeoutMillis how long to wait
   * @throws ConnectionException where no reply came
   */
  Reply ask(Request request, long timeoutMillis) throws ConnectionException;

  @Override
  void close();
}
