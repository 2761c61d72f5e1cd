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
   * @throws DriverTimeoutException when it does not answer in time; the execution becomes a timeout
   * @throws DriverException when the endpoint cannot be reached; the execution becomes an error
   */
  Session open(Endpoint endpoint, Options options) throws DriverException;

  @Override
  void close();

  /** One connection to the tool, used by one thread at a time. */
  interface Session extends AutoCloseable {
    /**
     * Runs one operation and fetches the store identifiers of its result, nothing more. An outcome
     * is a value: every failure is returned, never swallowed and never thrown.
     */
    Outcome execute(Operation operation);

    @Override
    void close();
  }
}
