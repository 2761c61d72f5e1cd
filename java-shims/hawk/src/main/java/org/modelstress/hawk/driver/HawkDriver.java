package org.modelstress.hawk.driver;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.apache.thrift.TConfiguration;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Options;
import org.modelstress.hawk.server.thrift.ZlibCodec;

/**
 * Runs queries on a server that speaks Hawk's Thrift API, this project's or a real Hawk: {@code
 * tcp://host:port} (tuple protocol over zlib) or {@code http://host:port/path}. Every session has a
 * connection of its own; what they share is zlib's buffers and one thread that watches deadlines.
 *
 * <p>Driver options: {@code instance} (default {@code modelstress}); {@code thrift_protocol} over
 * HTTP: {@code tuple}, {@code compact}, {@code binary} or {@code json} (default: what the path ends
 * with, else {@code tuple}; a path that ends with another one's name is changed); {@code gzip}
 * (default true: answers over HTTP may be compressed).
 */
public final class HawkDriver implements Driver {
  private static final Set<String> OPTIONS =
      new TreeSet<>(Set.of("gzip", "instance", "thrift_protocol"));

  /** As libthrift's own transport for zlib. */
  private static final int COMPRESSION_LEVEL = 9;

  private static final int MOST_IDLE_CODECS = 1024;

  /** Largest answer, uncompressed bytes. */
  private static final int LARGEST_ANSWER = 1 << 30;

  private final ZlibCodec.Pool codecs = new ZlibCodec.Pool(COMPRESSION_LEVEL, MOST_IDLE_CODECS);
  private final TConfiguration limits;
  private final ScheduledThreadPoolExecutor watch;

  public HawkDriver() {
    limits = new TConfiguration();
    limits.setMaxMessageSize(LARGEST_ANSWER);
    limits.setMaxFrameSize(LARGEST_ANSWER);
    limits.setRecursionLimit(Integer.MAX_VALUE);
    watch =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "hawk-deadlines");
              thread.setDaemon(true);
              return thread;
            });
    watch.setRemoveOnCancelPolicy(true);
  }

  @Override
  public String name() {
    return "hawk";
  }

  @Override
  public Session open(Endpoint endpoint, Options options) throws DriverException {
    for (String name : options.values().keySet()) {
      if (!OPTIONS.contains(name)) {
        throw new DriverException(
            "unknown option " + name + " for the hawk driver; known are " + OPTIONS, null);
      }
    }
    Target target = Target.of(endpoint, options);
    return HawkSession.open(target, options, this);
  }

  ZlibCodec.Pool codecs() {
    return codecs;
  }

  TConfiguration limits() {
    return limits;
  }

  ScheduledThreadPoolExecutor watch() {
    return watch;
  }

  @Override
  public void close() {
    watch.shutdownNow();
    codecs.close();
  }
}
