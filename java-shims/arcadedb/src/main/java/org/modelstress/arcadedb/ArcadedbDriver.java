package org.modelstress.arcadedb;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.IdsSession;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.SessionContext;
import org.neo4j.driver.AccessMode;
import org.neo4j.driver.AuthTokens;
import org.neo4j.driver.Config;
import org.neo4j.driver.GraphDatabase;
import org.neo4j.driver.Logging;
import org.neo4j.driver.SessionConfig;
import org.neo4j.driver.Value;
import org.neo4j.driver.async.AsyncSession;
import org.neo4j.driver.async.ResultCursor;

/**
 * The client side: Bolt by Neo4j's driver, or ArcadeDB's own HTTP interface. Sessions take a
 * connection from a pool of their program, over both protocols.
 */
public final class ArcadedbDriver implements org.modelstress.harness.spi.Driver {
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
    return "arcadedb";
  }

  @Override
  public Session open(Endpoints endpoints, SessionContext who) {
    URI server = endpoints.first().uri();
    Duration timeout = Duration.ofMillis(who.options().timeoutMillis());
    if (server.getScheme().equals(ArcadedbProcess.HTTP)) {
      return new IdsSession(timeout, operation -> ask(server, operation, timeout), () -> {});
    }
    AsyncSession session =
        pools
            .computeIfAbsent(server, uri -> pool(uri, timeout))
            .session(
                AsyncSession.class,
                SessionConfig.builder()
                    .withDatabase(server.getPath().substring(1))
                    .withDefaultAccessMode(AccessMode.READ)
                    .build());
    return new IdsSession(
        timeout, operation -> bolt(session, operation.text(), timeout), session::closeAsync);
  }

  /** The server knows no deadlines over Bolt, so that the client is the one who stops waiting. */
  private static LongStream bolt(AsyncSession session, String text, Duration timeout)
      throws InterruptedException, ExecutionException, TimeoutException {
    return session
        .runAsync(text)
        .thenCompose(ResultCursor::listAsync)
        .toCompletableFuture()
        .get(timeout.toNanos(), TimeUnit.NANOSECONDS)
        .stream()
        .flatMapToLong(match -> match.values().stream().mapToLong(Value::asLong));
  }

  private static org.neo4j.driver.Driver pool(URI server, Duration timeout) {
    Config config =
        Config.builder()
            .withMaxConnectionPoolSize(1_000)
            .withConnectionTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
            .withConnectionAcquisitionTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
            .withTelemetryDisabled(true)
            .withLogging(Logging.none())
            .build();
    String[] login = server.getUserInfo().split(":", 2);
    return GraphDatabase.driver(
        "bolt://" + server.getHost() + ":" + server.getPort(),
        AuthTokens.basic(login[0], login[1]),
        config);
  }

  /** The answer to a query, as far as it is needed: columns in the order of the query. */
  private record Answer(List<LinkedHashMap<String, Long>> result, boolean truncated) {}

  private LongStream ask(URI server, Operation operation, Duration timeout)
      throws IOException, InterruptedException {
    Map<String, Object> body =
        Map.of(
            "language",
            operation.parameters().get("language"),
            "command",
            operation.text(),
            "limit",
            -1);
    String login =
        Base64.getEncoder().encodeToString(server.getUserInfo().getBytes(StandardCharsets.UTF_8));
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://"
                        + server.getHost()
                        + ":"
                        + server.getPort()
                        + "/api/v1/query"
                        + server.getPath()))
            .timeout(timeout)
            .headers("Content-Type", "application/json", "Authorization", "Basic " + login)
            .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)))
            .build();
    HttpResponse<java.io.InputStream> response = http.send(request, BodyHandlers.ofInputStream());
    if (response.statusCode() != 200) {
      throw new IOException(new String(response.body().readAllBytes(), StandardCharsets.UTF_8));
    }
    Answer answer = JSON.readValue(response.body(), Answer.class);
    if (answer.truncated()) {
      throw new IOException("the answer is cut");
    }
    return answer.result().stream()
        .flatMapToLong(match -> match.values().stream().mapToLong(Long::longValue));
  }

  @Override
  public void close() {
    pools.values().forEach(org.neo4j.driver.Driver::closeAsync); // not for queries that go on
  }
}
