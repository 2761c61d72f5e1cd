package org.modelstress.neo4j;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.IdsSession;
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
 * The client side: Bolt by Neo4j's driver, or HTTP. Sessions take a connection from a pool of their
 * program, over both protocols. A query is one transaction that only reads, and is not retried.
 */
public final class Neo4jDriver implements org.modelstress.harness.spi.Driver {
  private static final StreamReadConstraints BOUNDS =
      StreamReadConstraints.builder().maxDocumentLength(2L << 30).build();
  private static final ObjectMapper JSON =
      new ObjectMapper(JsonFactory.builder().streamReadConstraints(BOUNDS).build())
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          // reads an answer to its end: a connection whose answer was left is closed
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private final Map<URI, org.neo4j.driver.Driver> pools = new ConcurrentHashMap<>();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @Override
  public String name() {
    return "neo4j";
  }

  @Override
  public Session open(Endpoints endpoints, SessionContext who) {
    URI server = endpoints.first().uri();
    Duration timeout = Duration.ofMillis(who.options().timeoutMillis());
    if (server.getScheme().equals("http")) {
      return new IdsSession(timeout, operation -> ask(server, operation.text(), timeout), () -> {});
    }
    org.neo4j.driver.Session session =
        pools
            .computeIfAbsent(server, uri -> pool(uri, timeout))
            .session(SessionConfig.builder().withDefaultAccessMode(AccessMode.READ).build());
    TransactionConfig deadline = TransactionConfig.builder().withTimeout(timeout).build();
    return new IdsSession(
        timeout,
        operation ->
            session.run(operation.text(), deadline).stream()
                .flatMapToLong(match -> match.values().stream().mapToLong(Value::asLong)),
        session::close);
  }

  private static org.neo4j.driver.Driver pool(URI server, Duration timeout) {
    Config config =
        Config.builder()
            .withMaxConnectionPoolSize(1_000)
            .withConnectionTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
            .withConnectionAcquisitionTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
            .withNotificationConfig(NotificationConfig.disableAllConfig())
            .withTelemetryDisabled(true)
            .withLogging(Logging.none())
            .build();
    return GraphDatabase.driver("bolt://" + server.getAuthority(), config);
  }

  /** The answer to one statement, as far as it is needed. */
  private record Answer(List<Result> results, List<Map<String, String>> errors) {}

  private record Result(List<Match> data) {}

  private record Match(long[] row) {}

  private LongStream ask(URI server, String text, Duration timeout)
      throws IOException, InterruptedException {
    Object body = Map.of("statements", List.of(Map.of("statement", text)));
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve("/db/neo4j/tx/commit"))
            .timeout(timeout)
            .headers("Content-Type", "application/json", "Access-Mode", "READ")
            .header("Max-Execution-Time", Long.toString(timeout.toMillis()))
            .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)))
            .build();
    Answer answer =
        JSON.readValue(http.send(request, BodyHandlers.ofInputStream()).body(), Answer.class);
    if (answer.results() == null || !answer.errors().isEmpty()) {
      throw new IOException(String.valueOf(answer.errors()));
    }
    return answer.results().stream()
        .flatMap(result -> result.data().stream())
        .flatMapToLong(match -> LongStream.of(match.row()));
  }

  @Override
  public void close() {
    pools.values().forEach(org.neo4j.driver.Driver::close);
  }
}
