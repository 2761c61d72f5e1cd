package org.modelstress.cdo.driver;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Options;

/**
 * Runs queries on a CDO server over Net4j TCP ({@code tcp://host:port}). Every session has a
 * connection of its own; what they share is one thread that watches deadlines.
 *
 * <p>Driver options: {@code signal_timeout_ms} (how long a Net4j signal waits for an answer,
 * default 10000 as Net4j's own), {@code tcp_nodelay} (default false as Net4j's own), {@code
 * safe_connect} (default false: connect as Net4j does, with its race; see {@link SafeConnect}).
 */
public final class CdoDriver implements Driver {
  private static final Set<String> OPTIONS =
      new TreeSet<>(Set.of("safe_connect", "signal_timeout_ms", "tcp_nodelay"));

  private final ScheduledThreadPoolExecutor watch;

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
  public Session open(Endpoint endpoint, Options options) throws DriverException {
    if (!"tcp".equals(endpoint.uri().getScheme()) || endpoint.port() < 1) {
      throw new DriverException(
          "endpoint " + endpoint.uri() + " is not of the form tcp://host:port", null);
    }
    for (String name : options.values().keySet()) {
      if (!OPTIONS.contains(name)) {
        throw new DriverException(
            "unknown option " + name + " for the cdo driver; known are " + OPTIONS, null);
      }
    }
    return CdoSession.open(endpoint, options, watch);
  }

  @Override
  public void close() {
    watch.shutdownNow();
  }
}
