package org.modelstress.cdo.driver;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.modelstress.harness.serial.SerialFilter;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.SessionContext;

/**
 * Runs queries on a CDO server over Net4j: TCP ({@code tcp://host:port}), HTTP ({@code
 * http://host:port/net4j}) or WebSocket ({@code ws://host:port/net4j}). Every session has a
 * connection of its own; what they share is one thread that watches deadlines, and Jetty's
 * WebSocket client.
 *
 * <p>Driver options: {@code signal_timeout_ms} (how long a Net4j signal waits for an answer,
 * default 10000 as Net4j's own), {@code tcp_nodelay} (default false as Net4j's own), {@code
 * safe_connect} (default false: connect as Net4j does, with its race; see {@link SafeConnect});
 * over HTTP, which has TCP_NODELAY anyway and no such race, {@code http_transport} (default {@code
 * stock}, or {@code long-poll}, the same as the server's) and {@code poll_interval_ms} (default
 * 5000 as Net4j's own: after how long without a request a stock client polls).
 */
public final class CdoDriver implements Driver {
  private static final Set<String> OPTIONS =
      new TreeSet<>(
          Set.of(
              "http_transport",
              "poll_interval_ms",
              "safe_connect",
              "signal_timeout_ms",
              "tcp_nodelay"));

  static {
    SerialFilter.install(); // for programs that are not the harness
  }

  private final ScheduledThreadPoolExecutor watch;
  private final SharedWebSockets webSockets = new SharedWebSockets();

  public CdoDriver() {
    watch =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "cdo-deadlines");
              thread.setDaemon(true);
              return thread;
            });
    watch.setRemoveOnCancelPolicy(true);
  }

  @Override
  public String name() {
    return "cdo";
  }

  @Override
  public Session open(Endpoints endpoints, SessionContext who) throws DriverException {
    Options options = who.options();
    for (String name : options.values().keySet()) {
      if (!OPTIONS.contains(name)) {
        throw new DriverException(
            "unknown option " + name + " for the cdo driver; known are " + OPTIONS, null);
      }
    }
    return CdoSession.open(endpoints.first(), options, watch, webSockets);
  }

  @Override
  public void close() {
    watch.shutdownNow();
    webSockets.close();
  }
}
