package org.modelstress.topology.connection;

import java.util.function.Consumer;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Request;

/** Answers requests of clients, in threads of its own. */
@FunctionalInterface
public interface RequestHandler {
  /**
   * Takes a request and returns at once.
   *
   * @param request of a client
   * @param reply is told the reply, once, by any thread
   */
  void handle(Request request, Consumer<Reply> reply);
}
