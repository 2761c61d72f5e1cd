package org.modelstress.arcadedb;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
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
      HttpRequest.Builder asked = request(server).timeout(timeout);
      return new IdsSession(timeout, operation -> ask(asked.copy(), operation), () -> {});
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

  /** What all requests of a session have in common, made once. */
  private static HttpRequest.Builder request(URI server) {
    String login =
        Base64.getEncoder().encodeToString(server.getUserInfo().getBytes(StandardCharsets.UTF_8));
    String where = server.getHost() + ":" + server.getPort();
    return HttpRequest.newBuilder(
            URI.create("http://" + where + "/api/v1/query" + server.getPath()))
        .headers("Content-Type", "application/json", "Authorization", "Basic " + login);
  }

  private LongStream ask(HttpRequest.Builder asked, Operation operation)
      throws IOException, InterruptedException {
    Object language = operation.parameters().get("language");
    Map<String, Object> body =
        Map.of("language", language, "command", operation.text(), "limit", -1);
    HttpRequest request =
        asked.POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body))).build();
    HttpResponse<InputStream> response = http.send(request, BodyHandlers.ofInputStream());
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
