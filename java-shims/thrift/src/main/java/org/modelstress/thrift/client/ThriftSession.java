package org.modelstress.thrift.client;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.apache.thrift.TException;
import org.apache.thrift.transport.TTransportException;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.DriverTimeoutException;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.hawk.api.Hawk;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.InvalidQuery;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.QueryReport;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.thrift.server.AsyncQueries;

/**
 * One connection. A query is one request and its answer or, asynchronously, two: one that begins it
 * and one that waits for its result.
 */
final class ThriftSession implements Driver.Session {
  static final String SYNCHRONOUS = "synchronous";
  static final String ASYNCHRONOUS = "asynchronous";

  /** Only identifiers: the timed part of every tool fetches nothing else. */
  private static final HawkQueryOptions IDENTIFIERS =
      new HawkQueryOptions()
          .setIncludeAttributes(false)
          .setIncludeReferences(false)
          .setIncludeContained(false)
          .setIncludeDerived(false)
          .setIncludeNodeIDs(true);

  private final ThriftDriver driver;
  private final Options options;
  private final Target target;
  private final boolean asynchronous;
  private final SocketChannel channel;
  private final Connection connection;
  private final Hawk.Client client;
  private final String instance;
  private long countedSent;
  private long countedReceived;

  private ThriftSession(ThriftDriver driver, Options options, SocketChannel channel, Target target)
      throws IOException, TTransportException {
    this.driver = driver;
    this.options = options;
    this.channel = channel;
    this.target = target;
    asynchronous = ASYNCHRONOUS.equals(options.text("querying", SYNCHRONOUS));
    boolean gzip = Boolean.parseBoolean(options.text("gzip", "true"));
    connection =
        target.path() == null
            ? new TcpConnection(channel, driver)
            : new HttpConnection(channel, target, gzip, driver);
    client = new Hawk.Client(connection.protocol());
    instance = options.text("instance", "modelstress");
  }

  static ThriftSession open(Target target, Options options, ThriftDriver driver)
      throws DriverException {
    SocketChannel channel = null;
    boolean exceeded = false;
    try {
      channel = SocketChannel.open();
      try (Deadline deadline = new Deadline(driver.watch(), options.timeoutMillis(), channel)) {
        try {
          channel.connect(target.address());
        } finally {
          exceeded = deadline.exceeded();
        }
      }
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      return new ThriftSession(driver, options, channel, target);
    } catch (IOException | TTransportException e) {
      close(channel);
      String what = "no connection to " + target.address();
      if (exceeded) {
        throw new DriverTimeoutException(what + " within " + options.timeoutMillis() + " ms", null);
      }
      throw new DriverException(what + ": " + e, e);
    }
  }

  @Override
  public Outcome execute(Operation operation) {
    Outcome outcome;
    Deadline deadline = new Deadline(driver.watch(), options.timeoutMillis(), channel);
    try (deadline) {
      QueryResult result = asynchronous ? fetched(operation) : answered(operation);
      List<String> ids = Identifiers.of(result, tuple(operation));
      outcome = Outcome.ok(new Ids.Strings(ids));
    } catch (TException | RuntimeException e) {
      outcome =
          deadline.exceeded()
              ? Outcome.failed(
                  Outcome.Kind.TIMEOUT, "no result within " + options.timeoutMillis() + " ms")
              : Failures.outcome(e);
    }
    return counted(outcome);
  }

  private QueryResult answered(Operation operation) throws TException {
    String language = driver.languageId(operation, options);
    return client.query(instance, operation.text(), language, IDENTIFIERS);
  }

  /** Whatever ends the waiting before the query has ended, ends the query too. */
  private QueryResult fetched(Operation operation) throws TException {
    String language = driver.languageId(operation, options);
    String id = client.asyncQuery(instance, operation.text(), language, IDENTIFIERS);
    boolean ended = false;
    try {
      QueryReport report = fetch(id);
      ended = true;
      if (report.isIsCancelled()) {
        throw new FailedQuery("it was cancelled");
      }
      return report.getResult();
    } catch (FailedQuery | InvalidQuery e) {
      ended = true;
      throw e;
    } finally {
      if (!ended) {
        driver.cancel(target, options, id);
      }
    }
  }

  /** Fetches again while the server only says that the query takes longer than a fetch may. */
  private QueryReport fetch(String id) throws TException {
    while (true) {
      try {
        return client.fetchAsyncQueryResults(id);
      } catch (FailedQuery e) {
        if (!AsyncQueries.stillRuns(e)) {
          throw e;
        }
      }
    }
  }

  /** Elements of the index; see {@link ThriftDriver#model}. */
  List<ModelElement> model(HawkQueryOptions asked) throws TException {
    Deadline deadline = new Deadline(driver.watch(), options.timeoutMillis(), channel);
    try (deadline) {
      return client.getModel(instance, asked);
    } catch (TException e) {
      if (deadline.exceeded()) {
        throw new TException("no answer within " + options.timeoutMillis() + " ms", e);
      }
      throw e;
    }
  }

  /** Ends a query of another session; one that has ended already is as good. */
  void cancel(String id) {
    Deadline deadline = new Deadline(driver.watch(), options.timeoutMillis(), channel);
    try (deadline) {
      client.cancelAsyncQuery(id);
    } catch (TException e) {
      // it has ended, or the server has
    }
  }

  private static List<?> tuple(Operation operation) {
    return operation.parameters().get("tuple") instanceof List<?> names ? names : List.of();
  }

  private Outcome counted(Outcome outcome) {
    long sent = connection.sent();
    long received = connection.received();
    Outcome counted = outcome.withTraffic(sent - countedSent, received - countedReceived);
    countedSent = sent;
    countedReceived = received;
    return counted;
  }

  @Override
  public void close() {
    connection.close();
  }

  private static void close(SocketChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        // it could not be opened either
      }
    }
  }
}
