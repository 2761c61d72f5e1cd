package org.modelstress.harness.spi;

/**
 * The client side of one tool under test. One instance per client process; it owns what sessions
 * share (connection pools, selectors). Found by {@link java.util.ServiceLoader}.
 */
public interface Driver extends AutoCloseable {
  /** The name given to {@code client --driver}. */
  String name();

  /**
   * Opens a session: one per client thread ({@code connection: reused}) or one per execution.
   * Called from many threads at once.
   *
   * @param endpoints where the tool's nodes answer
   * @param who whose session it is
   * @throws DriverTimeoutException when it does not answer in time; the execution becomes a timeout
   * @throws DriverException when the endpoint cannot be reached; the execution becomes an error
   */
  Session open(Endpoints endpoints, SessionContext who) throws DriverException;

  /**
   * Opens a session with the only node of a tool, for programs that are no clients.
   *
   * @throws DriverException as above
   */
  default Session open(Endpoint server, Options options) throws DriverException {
    return open(Endpoints.of(server), SessionContext.alone(options));
  }

  @Override
  void close();

  /** One connection to the tool, used by one thread at a time. */
  interface Session extends AutoCloseable {
    /**
     * Runs one operation and fetches the identifiers of its result, nothing more. An outcome is a
     * value: every failure is returned, never swallowed and never thrown.
     */
    Outcome execute(Operation operation);

    @Override
    void close();
  }
}
