package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.eclipse.net4j.http.internal.server.HTTPAcceptor;
import org.eclipse.net4j.http.server.HTTPServerUtil;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.cdo.driver.CdoDriver;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Outcome;

/** The server's end of HTTP: what it refuses, and that it forgets clients that have gone. */
@Timeout(240)
class HttpListenerTest {
  @TempDir static Path folder;
  private static TrainFixture train;
  private static Driver driver;
  private static int copies;

  @BeforeAll
  static void load() throws Exception {
    train = new TrainFixture(folder, 1);
    driver = new CdoDriver();
  }

  @AfterAll
  static void close() {
    driver.close();
  }

  /** A repository with an HTTP listener, both looked into. */
  private static final class Served implements AutoCloseable {
    private final CdoRepository repository;
    private final Listener listener;

    Served(Transport transport) throws Exception {
      Path copy = folder.resolve("copy" + copies++);
      StoreFolder.at(train.store).copyTo(copy, false);
      ServerOptions options = ServerOptions.of(transport.server(Map.of()));
      repository = new CdoRepository(copy, options);
      listener = Listener.open(transport.protocol, repository.container(), "127.0.0.1", 0, options);
    }

    Endpoint endpoint() {
      return TrainFixture.endpoint(listener.endpoint());
    }

    int connectors() {
      HTTPAcceptor acceptor =
          (HTTPAcceptor) HTTPServerUtil.getAcceptor(repository.container(), null);
      return acceptor.getAcceptedConnectors().length;
    }

    @Override
    public void close() {
      listener.close();
      repository.close();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP", "LONG_POLL"})
  void closedClientsAreForgotten(Transport transport) throws Exception {
    try (Served served = new Served(transport)) {
      for (int i = 0; i < 3; i++) {
        try (Driver.Session session =
            driver.open(served.endpoint(), transport.driver(30_000, Map.of()))) {
          Outcome outcome = session.execute(TrainFixture.operation("SwitchSet"));
          assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
          assertEquals(1, served.connectors());
        }
        awaitNone(served);
      }
    }
  }

  /**
   * The query is never interrupted: it keeps a processor of this process busy to the end, and the
   * other tests with it. Where it keeps a client from saying good-bye, its connector goes by itself
   * after a minute or two, over long polling; Net4j's own stays for an hour.
   */
  @Tag("long")
  @ParameterizedTest
  @EnumSource(names = {"HTTP", "LONG_POLL"})
  void clientsThatGaveUpAreForgotten(Transport transport) throws Exception {
    try (Served served = new Served(transport)) {
      try (Driver.Session session =
          driver.open(served.endpoint(), transport.driver(5_000, Map.of()))) {
        Outcome outcome = session.execute(TrainFixture.ocl(TrainFixture.ENDLESS));
        assertEquals(Outcome.Kind.TIMEOUT, outcome.kind(), outcome.detail());
      }
      awaitNone(served);
    }
  }

  private static void awaitNone(Served served) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
    while (served.connectors() > 0 && System.nanoTime() < deadline) {
      Thread.sleep(20);
    }
    assertEquals(0, served.connectors());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "?list=", "?list"})
  void nobodyIsToldWhoIsConnected(String query) throws Exception {
    try (Served served = new Served(Transport.LONG_POLL);
        Driver.Session session =
            driver.open(served.endpoint(), Transport.LONG_POLL.driver(30_000, Map.of()))) {
      URI uri = URI.create(served.endpoint().uri() + query);
      for (String method : new String[] {"GET", "POST"}) {
        HttpResponse<String> response = send(uri, method);
        assertTrue(response.statusCode() >= 400, uri + " " + method + response.statusCode());
        assertFalse(response.body().matches("(?s).*[0-9A-F]{32}.*"), response.body());
      }
      Outcome outcome = session.execute(TrainFixture.operation("SwitchSet"));
      assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
    }
  }

  private static HttpResponse<String> send(URI uri, String method) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .method(method, HttpRequest.BodyPublishers.noBody())
            .timeout(Duration.ofSeconds(20))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP", "LONG_POLL", "WEBSOCKET"})
  void requestsOfPagesAndOtherMethodsAreRefused(Transport transport) throws Exception {
    String method = transport == Transport.WEBSOCKET ? "GET" : "POST";
    try (Served served = new Served(transport)) {
      int port = served.endpoint().port();
      String own = "Host: 127.0.0.1:" + port;
      assertEquals(405, status(port, "TRACE", own));
      assertEquals(403, status(port, method, own + "\r\nOrigin: http://evil.example"));
      assertEquals(403, status(port, method, own + "\r\nOrigin: null"));
      // what a browser sends once evil.example leads to 127.0.0.1
      String rebound = "evil.example:" + port;
      assertEquals(403, status(port, method, "Host: " + rebound + "\r\nOrigin: http://" + rebound));
      assertEquals(403, status(port, method, "Host: " + rebound));
      for (String host : List.of("127.0.0.1", "localhost", "[::1]")) {
        assertNotEquals(403, status(port, method, "Host: " + host + ":" + port), host);
      }
    }
  }

  /** The status of a request without body; Java's own client lets nobody choose its Host. */
  private static int status(int port, String method, String headers) throws Exception {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      String request = method + " /net4j HTTP/1.1\r\n" + headers + "\r\nContent-Length: 0\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      String line =
          new BufferedReader(
                  new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
              .readLine();
      return Integer.parseInt(line.split(" ")[1]);
    }
  }

  @Test
  void driverAndServerMustUseTheSameTransport() throws Exception {
    for (Transport transport : new Transport[] {Transport.HTTP, Transport.LONG_POLL}) {
      Transport other = transport == Transport.HTTP ? Transport.LONG_POLL : Transport.HTTP;
      try (Served served = new Served(transport)) {
        DriverException e =
            assertThrows(
                DriverException.class,
                () -> driver.open(served.endpoint(), other.driver(30_000, Map.of())));
        assertTrue(e.getMessage().contains("http_transport"), e.getMessage());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP", "LONG_POLL"})
  void wrongOptionsOfTheDriverAreRefused(Transport transport) {
    for (Map<String, Object> wrong :
        List.<Map<String, Object>>of(
            Map.of("http_transport", "websocket"), Map.of("poll_interval_ms", 0))) {
      DriverException e =
          assertThrows(
              DriverException.class,
              () ->
                  driver.open(transport.endpoint("127.0.0.1", 9), transport.driver(1_000, wrong)));
      String option = wrong.keySet().iterator().next();
      assertTrue(e.getMessage().contains(option + " is "), e.getMessage());
    }
  }
}
