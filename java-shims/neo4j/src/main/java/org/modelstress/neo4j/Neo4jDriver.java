package org.modelstress.neo4j;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.BasicHttpClientConnectionManager;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.SessionContext;
import org.neo4j.driver.AccessMode;
import org.neo4j.driver.Config;
import org.neo4j.driver.GraphDatabase;
import org.neo4j.driver.Logging;
import org.neo4j.driver.NotificationConfig;
import org.neo4j.driver.SessionConfig;
import org.neo4j.driver.TransactionConfig;
import org.neo4j.driver.Value;

/**
 * The client side: Bolt by Neo4j's driver, whose connections the sessions of a program share, or
 * one HTTP connection per session. A query is one transaction that only reads, and is not retried.
 */
public final class Neo4jDriver implements org.modelstress.harness.spi.Driver {
  private static final String DATABASE = "neo4j";

  /** Most identifiers and bytes of an answer. */
  private static final int MOST_IDS = 50_000_000;

  private static final long MOST_BYTES = 2L << 30;

  private final Map<URI, org.neo4j.driver.Driver> pools = new ConcurrentHashMap<>();

  @Override
  public String name() {
    return DATABASE;
  }

  @Override
  public Session open(Endpoints endpoints, SessionContext who) {
    URI server = endpoints.first().uri();
    long millis = who.options().timeoutMillis();
    return server.getScheme().equals("http")
        ? new HttpSession(server, millis)
        : new BoltSession(pools.computeIfAbsent(server, uri -> pool(uri, millis)), millis);
  }

  private static org.neo4j.driver.Driver pool(URI server, long millis) {
    return GraphDatabase.driver(
        "bolt://" + server.getAuthority(),
        Config.builder()
            .withConnectionTimeout(millis, TimeUnit.MILLISECONDS)
            .withConnectionAcquisitionTimeout(millis, TimeUnit.MILLISECONDS)
            .withNotificationConfig(NotificationConfig.disableAllConfig())
            .withTelemetryDisabled(true)
            .withLogging(Logging.none())
            .build());
  }

  @Override
  public void close() {
    pools.values().forEach(org.neo4j.driver.Driver::close);
  }

  /** What both protocols have in common: a failure after the deadline is a timeout. */
  private abstract static class OneQuery implements Session {
    final long millis;

    OneQuery(long millis) {
      this.millis = millis;
    }

    /** The identifiers of all matches, one after the other. */
    abstract LongStream ids(String text) throws IOException;

    @Override
    public Outcome execute(Operation operation) {
      long begin = System.nanoTime();
      try {
        long[] ids = ids(operation.text()).limit(MOST_IDS + 1L).toArray();
        return ids.length > MOST_IDS
            ? Outcome.failed(Outcome.Kind.ERROR, "more than " + MOST_IDS + " identifiers")
            : Outcome.ok(new Ids.Longs(ids, ids.length));
      } catch (IOException | RuntimeException e) {
        boolean late = System.nanoTime() - begin >= TimeUnit.MILLISECONDS.toNanos(millis);
        return Outcome.failed(late ? Outcome.Kind.TIMEOUT : Outcome.Kind.ERROR, "no answer: " + e);
      }
    }
  }

  private static final class BoltSession extends OneQuery {
    private final org.neo4j.driver.Session session;

    BoltSession(org.neo4j.driver.Driver pool, long millis) {
      super(millis);
      session =
          pool.session(
              SessionConfig.builder()
                  .withDatabase(DATABASE)
                  .withDefaultAccessMode(AccessMode.READ)
                  .build());
    }

    @Override
    LongStream ids(String text) {
      TransactionConfig deadline =
          TransactionConfig.builder().withTimeout(Duration.ofMillis(millis)).build();
      return session.run(text, deadline).stream()
          .flatMapToLong(match -> match.values().stream().mapToLong(Value::asLong));
    }

    @Override
    public void close() {
      session.close();
    }
  }

  private static final class HttpSession extends OneQuery {
    private static final ObjectMapper JSON =
        new ObjectMapper(
            JsonFactory.builder()
                .streamReadConstraints(
                    StreamReadConstraints.builder().maxDocumentLength(MOST_BYTES).build())
                .build());

    private final URI address;
    private final CloseableHttpClient client;

    HttpSession(URI server, long millis) {
      super(millis);
      address = server.resolve("/db/" + DATABASE + "/tx/commit");
      Timeout timeout = Timeout.ofMilliseconds(millis);
      BasicHttpClientConnectionManager connection = new BasicHttpClientConnectionManager();
      connection.setConnectionConfig(ConnectionConfig.custom().setConnectTimeout(timeout).build());
      client =
          HttpClients.custom()
              .setConnectionManager(connection)
              .setDefaultRequestConfig(RequestConfig.custom().setResponseTimeout(timeout).build())
              .disableAutomaticRetries() // a second try would hide a failure and count as latency
              .disableRedirectHandling()
              .build();
    }

    /** The answer to one statement, as far as it is needed. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    private record Answer(List<Result> results, List<Map<String, String>> errors) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    private record Result(List<Match> data) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    private record Match(long[] row) {}

    @Override
    LongStream ids(String text) throws IOException {
      HttpPost request = new HttpPost(address);
      request.setHeader("access-mode", "READ");
      request.setHeader("max-execution-time", millis);
      Map<String, ?> statements = Map.of("statements", List.of(Map.of("statement", text)));
      byte[] body = JSON.writeValueAsBytes(statements);
      request.setEntity(new ByteArrayEntity(body, ContentType.APPLICATION_JSON));
      Answer answer = client.execute(request, HttpSession::answer);
      return answer.results().stream()
          .flatMap(result -> result.data().stream())
          .flatMapToLong(match -> LongStream.of(match.row()));
    }

    private static Answer answer(ClassicHttpResponse response) throws IOException {
      if (response.getCode() != HttpStatus.SC_OK) {
        throw new IOException("HTTP status " + response.getCode());
      }
      Answer answer = JSON.readValue(response.getEntity().getContent(), Answer.class);
      if (!answer.errors().isEmpty()) {
        throw new IOException(answer.errors().get(0).toString());
      }
      return answer;
    }

    @Override
    public void close() {
      client.close(CloseMode.GRACEFUL);
    }
  }
}
