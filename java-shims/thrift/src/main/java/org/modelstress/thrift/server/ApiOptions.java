package org.modelstress.thrift.server;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.modelstress.harness.server.Slowdown;

/**
 * Server options of the API.
 *
 * @param maxThreads requests in work at once, for each protocol; further ones wait
 * @param idleTimeoutMs a connection without progress for so long is closed, milliseconds
 * @param maxRequestBytes largest request, uncompressed
 * @param compressionLevel of zlib (TCP) and gzip (HTTP), 1 to 9
 * @param httpGzip whether answers over HTTP are compressed for clients that accept it
 * @param maxAsyncQueries asynchronous queries whose result was not fetched yet
 * @param asyncTimeoutS results not fetched for so long are dropped, and so long a fetch waits,
 *     seconds
 * @param requestTimeoutMs a request that has not come whole within so long is given up, and its
 *     connection closed, milliseconds
 * @param queryTimeoutS a query that runs longer is cancelled, seconds
 * @param hostNames names in a request's Host, beside addresses and localhost, that are this
 *     server's
 * @param slowdown {@code burned_percent}: CPU time that is burned after each answer
 */
public record ApiOptions(
    int maxThreads,
    int idleTimeoutMs,
    int maxRequestBytes,
    int compressionLevel,
    boolean httpGzip,
    int maxAsyncQueries,
    int asyncTimeoutS,
    int requestTimeoutMs,
    int queryTimeoutS,
    List<String> hostNames,
    Slowdown slowdown) {
  /** Names of the options. */
  public static final Set<String> NAMES =
      Set.of(
          "max_threads",
          "idle_timeout_ms",
          "max_request_bytes",
          "compression_level",
          "http_gzip",
          "max_async_queries",
          "async_timeout_s",
          "request_timeout_ms",
          "query_timeout_s",
          "host_names",
          Slowdown.NAME);

  /** Every default. */
  public static final ApiOptions DEFAULTS = of(Map.of());

  /**
   * Takes the options named in {@link #NAMES}; others are ignored.
   *
   * @throws IllegalArgumentException naming the option that is wrong
   */
  public static ApiOptions of(Map<String, Object> options) {
    return new ApiOptions(
        OptionValues.whole(options, "max_threads", 256, 1, 10_000),
        OptionValues.whole(options, "idle_timeout_ms", 300_000, 100, Integer.MAX_VALUE),
        OptionValues.whole(options, "max_request_bytes", 16 << 20, 1024, 1 << 30),
        OptionValues.whole(options, "compression_level", 6, 1, 9),
        OptionValues.truth(options, "http_gzip", true),
        OptionValues.whole(options, "max_async_queries", 1000, 1, 1_000_000),
        OptionValues.whole(options, "async_timeout_s", 300, 1, 86_400),
        OptionValues.whole(options, "request_timeout_ms", 60_000, 100, Integer.MAX_VALUE),
        OptionValues.whole(options, "query_timeout_s", 900, 1, 86_400),
        OptionValues.names(options, "host_names"),
        new Slowdown(OptionValues.whole(options, Slowdown.NAME, 0, 0, Slowdown.MOST)));
  }
}
