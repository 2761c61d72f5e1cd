package org.modelstress.thrift.client;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TException;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.SessionContext;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.thrift.server.ZlibCodec;

/**
 * Runs queries on a server that speaks Hawk's Thrift API: {@code tcp://host:port} (tuple protocol
 * over zlib) or {@code http://host:port/path}. Every session has a connection of its own; what they
 * share is zlib's buffers and one thread that watches deadlines.
 *
 * <p>Driver options: {@code instance} (default {@code modelstress}); {@code thrift_protocol} over
 * HTTP: {@code tuple}, {@code compact}, {@code binary} or {@code json} (default: what the path ends
 * with, else {@code tuple}; a path that ends with another one's name is changed); {@code gzip}
 * (default true: answers over HTTP may be compressed); {@code querying}: {@code synchronous} (the
 * default: one request per query) or {@code asynchronous} (one request begins a query, another one
 * waits for its result; a query that nobody waits for any more is cancelled); {@code eol_engine}
 * and the like for each language of the driver: the server's name of what answers it.
 */
public abstract class ThriftDriver implements Driver {
  private static final Set<String> OPTIONS =
      Set.of("gzip", "instance", "querying", "thrift_protocol");

  /** Follows a language's name in the option that says what the server calls its engine. */
  private static final String ENGINE = "_engine";

  private static final Set<String> QUERYING =
      new TreeSet<>(Set.of(ThriftSession.SYNCHRONOUS, ThriftSession.ASYNCHRONOUS));

  /** As libthrift's own transport for zlib. */
  private static final int COMPRESSION_LEVEL = 9;

  private static final int MOST_IDLE_CODECS = 1024;
  private static final int CANCELLING_THREADS = 2;

  /** How long a server may take to accept that a query is cancelled. */
  private static final long CANCELLING_MILLIS = 3_000;

  /** Largest answer, uncompressed bytes. */
  private static final int LARGEST_ANSWER = 1 << 30;

  private final String name;
  private final String defaultLanguage;
  private final Map<String, String> languageIds;
  private final Set<String> options = new TreeSet<>(OPTIONS);
  private final ZlibCodec.Pool codecs = new ZlibCodec.Pool(COMPRESSION_LEVEL, MOST_IDLE_CODECS);
  private final TConfiguration limits;
  private final ScheduledThreadPoolExecutor watch;
  private final ThreadPoolExecutor cancelling;

  /**
   * Of a tool.
   *
   * @param name as {@link Driver#name}
   * @param defaultLanguage language of operations whose parameters name none
   * @param languageIds identifiers of languages in the API, by their names in lower case; a
   *     language that is not among them is sent as the operation names it
   */
  protected ThriftDriver(String name, String defaultLanguage, Map<String, String> languageIds) {
    this.name = name;
    this.defaultLanguage = defaultLanguage;
    this.languageIds = Map.copyOf(languageIds);
    languageIds.keySet().forEach(language -> options.add(language + ENGINE));
    limits = new TConfiguration();
    limits.setMaxMessageSize(LARGEST_ANSWER);
    limits.setMaxFrameSize(LARGEST_ANSWER);
    limits.setRecursionLimit(Integer.MAX_VALUE);
    watch = new ScheduledThreadPoolExecutor(1, task -> daemon(task, "thrift-deadlines"));
    watch.setRemoveOnCancelPolicy(true);
    cancelling =
        new ThreadPoolExecutor(
            CANCELLING_THREADS,
            CANCELLING_THREADS,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> daemon(task, "thrift-cancelling"),
            new ThreadPoolExecutor.DiscardPolicy()); // nobody cancels after close()
    cancelling.allowCoreThreadTimeOut(true);
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final Session open(Endpoints endpoints, SessionContext who) throws DriverException {
    return connect(endpoints.first(), who.options());
  }

  /**
   * Fetches the elements of a server's index.
   *
   * @param asked what is sent of them
   * @throws DriverException if there is no connection, or an option is wrong
   * @throws TException if the server refuses, or has not answered within the options' time
   */
  public final List<ModelElement> model(Endpoint endpoint, Options options, HawkQueryOptions asked)
      throws DriverException, TException {
    try (ThriftSession session = connect(endpoint, options)) {
      return session.model(asked);
    }
  }

  /** A failure of the API in one sentence. */
  public static String sentence(Exception failure) {
    return Failures.outcome(failure).detail();
  }

  private ThriftSession connect(Endpoint endpoint, Options options) throws DriverException {
    for (String option : options.values().keySet()) {
      if (!this.options.contains(option)) {
        throw new DriverException(
            "unknown option " + option + " for the " + name + " driver; known are " + this.options,
            null);
      }
    }
    String querying = options.text("querying", ThriftSession.SYNCHRONOUS);
    if (!QUERYING.contains(querying)) {
      throw new DriverException(
          "option querying is " + querying + ", not one of " + QUERYING, null);
    }
    Target target = Target.of(endpoint, options);
    return ThriftSession.open(target, options, this);
  }

  /** The API's identifier of an operation's language. */
  final String languageId(Operation operation, Options options) {
    String language =
        String.valueOf(operation.parameters().getOrDefault("language", defaultLanguage));
    String key = language.toLowerCase(Locale.ROOT);
    return options.text(key + ENGINE, languageIds.getOrDefault(key, language));
  }

  final ZlibCodec.Pool codecs() {
    return codecs;
  }

  final TConfiguration limits() {
    return limits;
  }

  final ScheduledThreadPoolExecutor watch() {
    return watch;
  }

  /**
   * Has the server end an asynchronous query that nobody waits for any more, without keeping the
   * calling thread: on a connection of its own, because the query's may be blocked or closed.
   */
  final void cancel(Target target, Options options, String queryId) {
    Options hurried = new Options(CANCELLING_MILLIS, options.values());
    cancelling.execute(
        () -> {
          try (ThriftSession session = ThriftSession.open(target, hurried, this)) {
            session.cancel(queryId);
          } catch (DriverException e) {
            // a server that is gone has no query to end
          }
        });
  }

  /** Ends what it still has to cancel first, within a few seconds. */
  @Override
  public final void close() {
    cancelling.shutdown();
    try {
      cancelling.awaitTermination(CANCELLING_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    cancelling.shutdownNow();
    watch.shutdownNow();
    codecs.close();
  }
}
