package org.modelstress.hawk.driver;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.apache.thrift.TException;
import org.apache.thrift.transport.TTransportException;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.StoreIds;
import org.modelstress.hawk.api.Hawk;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.hawk.query.Language;

/** One connection; a query is one request and its answer. */
final class HawkSession implements Driver.Session {
  /** Only identifiers: the timed part of every tool fetches nothing else. */
  private static final HawkQueryOptions IDENTIFIERS =
      new HawkQueryOptions()
          .setIncludeAttributes(false)
          .setIncludeReferences(false)
          .setIncludeContained(false)
          .setIncludeDerived(false)
          .setIncludeNodeIDs(true);

  private final HawkDriver driver;
  private final Options options;
  private final SocketChannel channel;
  private final Connection connection;
  private final Hawk.Client client;
  private final String instance;
  private long countedSent;
  private long countedReceived;

  private HawkSession(HawkDriver driver, Options options, SocketChannel channel, Target target)
      throws IOException, TTransportException {
    this.driver = driver;
    this.options = options;
    this.channel = channel;
    boolean gzip = Boolean.parseBoolean(options.text("gzip", "true"));
    connection =
        target.path() == null
            ? new TcpConnection(channel, driver)
            : new HttpConnection(channel, target, gzip, driver);
    client = new Hawk.Client(connection.protocol());
    instance = options.text("instance", "modelstress");
  }

  static HawkSession open(Target target, Options options, HawkDriver driver)
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
      return new HawkSession(driver, options, channel, target);
    } catch (IOException | TTransportException e) {
      close(channel);
      String why =
          exceeded ? "no connection within " + options.timeoutMillis() + " ms" : e.toString();
      throw new DriverException("no connection to " + target.address() + ": " + why, e);
    }
  }

  @Override
  public Outcome execute(Operation operation) {
    Outcome outcome;
    Deadline deadline = new Deadline(driver.watch(), options.timeoutMillis(), channel);
    try (deadline) {
      QueryResult result =
          client.query(instance, operation.text(), language(operation), IDENTIFIERS);
      List<String> ids = Identifiers.of(result, tuple(operation));
      outcome = Outcome.ok(new StoreIds.Strings(ids));
    } catch (TException | RuntimeException e) {
      outcome =
          deadline.exceeded()
              ? Outcome.failed(
                  Outcome.Kind.TIMEOUT, "no result within " + options.timeoutMillis() + " ms")
              : Failures.outcome(e);
    }
    return counted(outcome);
  }

  private static String language(Operation operation) {
    String name = String.valueOf(operation.parameters().getOrDefault("language", "eol"));
    for (Language language : Language.values()) {
      if (language.name().equalsIgnoreCase(name)) {
        return language.id();
      }
    }
    return name; // another engine of a real Hawk, by its whole name
  }

  private static List<?> tuple(Operation operation) {
    return operation.parameters().get("tuple") instanceof List<?> names ? names : List.of();
  }

  private Outcome counted(Outcome outcome) {
    long sent = connection.sent();
    long received = connection.received();
    Outcome counted =
        new Outcome(
            outcome.kind(),
            outcome.ids(),
            outcome.items(),
            sent - countedSent,
            received - countedReceived,
            outcome.detail());
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
