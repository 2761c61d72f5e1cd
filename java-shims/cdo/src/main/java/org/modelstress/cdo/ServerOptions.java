package org.modelstress.cdo;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.Slowdown;

/**
 * The server's options ({@code options} of the server configuration); every default is what CDO
 * does when nobody asks for anything.
 *
 * @param h2CacheKb H2's page cache in KiB; 0 leaves H2's own default
 * @param poolSize most threads of Net4j's pool; 0 is no limit
 * @param sharePool whether queries run in Net4j's pool instead of a pool of their own
 * @param signalTimeoutMs how long a Net4j signal of the server waits for an answer
 * @param tcpNoDelay whether sockets send small packets at once (TCP_NODELAY)
 * @param interruptQueries whether a cancelled query's thread is interrupted (CDO's {@code
 *     allowInterruptRunningQueries})
 * @param strongObjects whether a query's view keeps every object it met until the query ends; CDO's
 *     own view keeps them weakly and can then hand out two objects for one element, which makes
 *     results wrong (docs/tools/cdo.md)
 * @param queryTimeoutS seconds after which the server ends a query, whether or not anybody waits
 * @param maxThreads most threads of Jetty, per listener that it serves (HTTP, WebSocket)
 * @param httpTransport how Net4j's operations go over HTTP
 * @param slowdown CPU time that is burned after each answer
 */
record ServerOptions(
    int h2CacheKb,
    int poolSize,
    boolean sharePool,
    long signalTimeoutMs,
    boolean tcpNoDelay,
    boolean interruptQueries,
    boolean strongObjects,
    int queryTimeoutS,
    int maxThreads,
    HttpTransport httpTransport,
    Slowdown slowdown) {

  private static final Set<String> NAMES =
      new TreeSet<>(
          Set.of(
              "h2_cache_kb",
              "pool_size",
              "query_timeout_s",
              "share_pool",
              "signal_timeout_ms",
              "tcp_nodelay",
              "interrupt_queries",
              "strong_objects",
              "max_threads",
              "http_transport",
              Slowdown.NAME));

  /**
   * Reads the options.
   *
   * @throws ServerException CONFIG for an unknown name or a value of the wrong kind
   */
  static ServerOptions of(Map<String, Object> values) throws ServerException {
    for (String name : values.keySet()) {
      if (!NAMES.contains(name)) {
        throw invalid("unknown option " + name + "; known are " + NAMES);
      }
    }
    return new ServerOptions(
        (int) number(values, "h2_cache_kb", 0, 0, Integer.MAX_VALUE),
        (int) number(values, "pool_size", 0, 0, 10_000),
        flag(values, "share_pool", false),
        number(values, "signal_timeout_ms", 10_000, 1, Integer.MAX_VALUE),
        flag(values, "tcp_nodelay", false),
        flag(values, "interrupt_queries", true),
        flag(values, "strong_objects", false),
        (int) number(values, "query_timeout_s", 900, 1, 1_000_000),
        (int) number(values, "max_threads", 256, 64, 10_000),
        transport(values),
        new Slowdown((int) number(values, Slowdown.NAME, 0, 0, Slowdown.MOST)));
  }

  /** The same, but the threads of cancelled queries are left alone. */
  ServerOptions withoutInterrupts() {
    return new ServerOptions(
        h2CacheKb,
        poolSize,
        sharePool,
        signalTimeoutMs,
        tcpNoDelay,
        false,
        strongObjects,
        queryTimeoutS,
        maxThreads,
        httpTransport,
        slowdown);
  }

  private static long number(
      Map<String, Object> values, String name, long fallback, long least, long most)
      throws ServerException {
    Object value = values.get(name);
    if (value == null) {
      return fallback;
    }
    if ((value instanceof Integer || value instanceof Long)
        && ((Number) value).longValue() >= least
        && ((Number) value).longValue() <= most) {
      return ((Number) value).longValue();
    }
    throw invalid(
        name + " is " + value + " where a whole number from " + least + " to " + most + " is due");
  }

  private static boolean flag(Map<String, Object> values, String name, boolean fallback)
      throws ServerException {
    Object value = values.get(name);
    if (value == null) {
      return fallback;
    }
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw invalid(name + " is " + value + " where true or false is due");
  }

  private static HttpTransport transport(Map<String, Object> values) throws ServerException {
    try {
      return HttpTransport.of(values.getOrDefault("http_transport", HttpTransport.STOCK.text()));
    } catch (IllegalArgumentException e) {
      throw invalid(e.getMessage());
    }
  }

  private static ServerException invalid(String what) {
    return new ServerException(Exit.CONFIG, "options of the cdo server: " + what, null);
  }
}
