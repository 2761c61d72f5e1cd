package org.modelstress.thrift.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.transport.TMemoryBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.hawk.api.Hawk;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.queries.QueryCancelledException;

/** One client takes from the others neither memory nor threads. */
@Timeout(120)
class HostileClientsTest {
  private static final String ENDLESS = "endless";
  private static final int CLAIMED = 16 << 20;

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final List<Socket> sockets = new ArrayList<>();
  private Servers servers;

  private void start(Map<String, Object> options) throws Exception {
    servers = Servers.answering(this::answer, options);
  }

  @AfterEach
  void stop() throws Exception {
    for (Socket socket : sockets) {
      socket.close();
    }
    if (servers != null) {
      servers.close();
    }
  }

  private QueryResult answer(String query, HawkQueryOptions options) throws Exception {
    if (query.equals(ENDLESS)) {
      begun.countDown();
      while (!Servers.isCancelled()) {
        Thread.sleep(5);
      }
      ended.countDown();
      throw new QueryCancelledException();
    }
    if (query.startsWith("slow")) {
      Thread.sleep(1_500);
    }
    return QueryResult.vList(List.of());
  }

  private void honestClientIsAnswered() throws Exception {
    for (String name : List.of("tcp", "tuple")) {
      Outcome outcome = Servers.query(servers.endpoints().get(name), "honest");
      assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
    }
  }

  private Socket connect(String protocol) throws IOException {
    int port = protocol.equals("tcp") ? servers.tcp.port() : servers.http.port();
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(30_000);
    sockets.add(socket);
    return socket;
  }

  private Socket send(String protocol, byte[] bytes) throws IOException {
    Socket socket = connect(protocol);
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return socket;
  }

  private static byte[] header(long length, String... more) {
    List<String> lines = new ArrayList<>(List.of("POST /thrift/hawk/tuple HTTP/1.1"));
    lines.add("Content-Length: " + length);
    lines.addAll(List.of(more));
    if (Arrays.stream(more).noneMatch(line -> line.startsWith("Host:"))) {
      lines.add("Host: localhost");
    }
    if (Arrays.stream(more).noneMatch(line -> line.startsWith("Content-Type"))) {
      lines.add("Content-Type: application/x-thrift");
    }
    return (String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] request(String protocol, String query) throws Exception {
    TMemoryBuffer buffer = new TMemoryBuffer(100);
    new Hawk.Client(WireProtocol.TUPLE.over(buffer))
        .send_query("any", query, "any", new HawkQueryOptions());
    byte[] message = Arrays.copyOf(buffer.getArray(), buffer.length());
    return protocol.equals("tcp") ? zipped(message) : joined(header(message.length), message);
  }

  private static byte[] zipped(byte[] plain) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DeflaterOutputStream out = new DeflaterOutputStream(bytes, new Deflater(), true);
    out.write(plain);
    out.flush();
    return bytes.toByteArray();
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] all = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, all, first.length, second.length);
    return all;
  }

  /** A message that begins with a text of so many bytes, of which the first few come. */
  private static byte[] claim(int bytes) throws Exception {
    TMemoryBuffer buffer = new TMemoryBuffer(100);
    TCompactProtocol compact = new TCompactProtocol(buffer);
    compact.writeMessageBegin(new TMessage("query", TMessageType.CALL, 1));
    byte[] begin = Arrays.copyOf(buffer.getArray(), buffer.length());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(begin);
    for (int left = bytes; ; left >>>= 7) {
      if (left < 0x80) {
        out.write(left);
        break;
      }
      out.write(left & 0x7f | 0x80);
    }
    out.write(new byte[10]);
    return zipped(out.toByteArray());
  }

  private static long heap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "http"})
  void requestsThatOnlyClaimToBeLargeGetNoMemory(String protocol) throws Exception {
    start(Map.of());
    honestClientIsAnswered();
    long before = heap();
    byte[] begin =
        protocol.equals("tcp") ? claim(CLAIMED - 100) : joined(header(CLAIMED), new byte[10]);
    for (int i = 0; i < 64; i++) {
      send(protocol, begin);
    }
    honestClientIsAnswered();
    long more = heap() - before;
    assertTrue(more < 4L * CLAIMED, "64 requests hold " + more + " bytes");
  }

  @Test
  void largeRequestsShareABoundedMemory() {
    RequestMemory memory = new RequestMemory(ApiOptions.of(Map.of("max_request_bytes", 1 << 30)));
    assertTrue(memory.take(2L << 30));
    assertFalse(memory.take(1));
    memory.giveBack(1L << 30);
    assertTrue(memory.take(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "http"})
  void aLargeRequestIsStillAnswered(String protocol) throws Exception {
    start(Map.of());
    String large = "x".repeat(5 << 20);
    String name = protocol.equals("tcp") ? "tcp" : "tuple";
    for (int i = 0; i < 30; i++) { // more of them than fit at once: what they took comes back
      Outcome outcome = Servers.query(servers.endpoints().get(name), large);
      assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "http"})
  void aRequestThatDoesNotGoOnIsGivenUp(String protocol) throws Exception {
    start(Map.of("request_timeout_ms", 300));
    byte[] request = request(protocol, "honest");
    Socket socket = send(protocol, Arrays.copyOf(request, request.length - 15));
    untilClosed(socket);
    honestClientIsAnswered();
  }

  private void untilClosed(Socket socket) throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    Thread reader =
        new Thread(
            () -> {
              try {
                socket.getInputStream().transferTo(OutputStream.nullOutputStream());
              } catch (IOException e) {
                // reset
              }
              closed.countDown();
            });
    reader.start();
    for (int i = 0; i < 200 && closed.getCount() > 0; i++) {
      servers.tidy();
      closed.await(100, TimeUnit.MILLISECONDS);
    }
    assertEquals(0, closed.getCount(), "the connection is still open");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "http"})
  void aQueryEndsWithItsConnection(String protocol) throws Exception {
    start(Map.of());
    Socket socket = send(protocol, request(protocol, ENDLESS));
    assertTrue(begun.await(20, TimeUnit.SECONDS));
    for (int i = 0; i < 10; i++) {
      servers.tidy();
      assertFalse(ended.await(100, TimeUnit.MILLISECONDS), "its client still waits");
    }
    socket.close();
    untilEnded();
    honestClientIsAnswered();
  }

  private void untilEnded() throws InterruptedException {
    for (int i = 0; i < 200 && ended.getCount() > 0; i++) {
      servers.tidy();
      ended.await(100, TimeUnit.MILLISECONDS);
    }
    assertEquals(0, ended.getCount(), "the query still runs");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "tuple"})
  void aQueryEndsAfterItsTime(String protocol) throws Exception {
    start(Map.of("query_timeout_s", 1));
    ExecutorService client = Executors.newSingleThreadExecutor();
    try {
      var outcome = client.submit(() -> Servers.query(servers.endpoints().get(protocol), ENDLESS));
      assertTrue(begun.await(20, TimeUnit.SECONDS));
      untilEnded();
      String detail = outcome.get(20, TimeUnit.SECONDS).detail();
      assertTrue(detail.contains("query_timeout_s"), detail);
    } finally {
      client.shutdownNow();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "http"})
  void whatComesWhileAQueryRunsIsAnsweredAfterIt(String protocol) throws Exception {
    start(Map.of());
    byte[] slow = request(protocol, "slow");
    Socket socket;
    if (protocol.equals("tcp")) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DeflaterOutputStream zip = new DeflaterOutputStream(bytes, new Deflater(), true);
      socket = connect(protocol);
      for (String query : List.of("slow", "next")) {
        TMemoryBuffer buffer = new TMemoryBuffer(100);
        new Hawk.Client(WireProtocol.TUPLE.over(buffer))
            .send_query("any", query, "any", new HawkQueryOptions());
        zip.write(buffer.getArray(), 0, buffer.length());
        zip.flush();
        socket.getOutputStream().write(bytes.toByteArray());
        bytes.reset();
        lookWhileItRuns();
      }
    } else {
      socket = send(protocol, slow);
      lookWhileItRuns();
      socket.getOutputStream().write(request(protocol, "next"));
      lookWhileItRuns();
    }
    Thread.sleep(2_000);
    int answers = 0;
    if (protocol.equals("tcp")) {
      var in = new java.util.zip.InflaterInputStream(socket.getInputStream());
      var read = new org.apache.thrift.transport.TIOStreamTransport(in);
      Hawk.Client client =
          new Hawk.Client(
              WireProtocol.TUPLE.over(read), WireProtocol.TUPLE.over(new TMemoryBuffer(100)));
      client.send_query("any", "next", "any", new HawkQueryOptions()); // to count as the sender did
      for (; answers < 2; answers++) {
        client.recv_query();
      }
    } else {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
      while (answers < 2) {
        answers += in.readLine().contains("200 OK") ? 1 : 0;
      }
    }
    assertEquals(2, answers);
  }

  private void lookWhileItRuns() throws InterruptedException {
    for (int i = 0; i < 8; i++) {
      Thread.sleep(100);
      servers.tidy();
    }
  }

  @Test
  void idleConnectionsDoNotKeepOthersOut() throws Exception {
    start(Map.of("max_threads", 8));
    for (int i = 0; i < 60; i++) {
      connect(i % 2 == 0 ? "tcp" : "http");
    }
    honestClientIsAnswered();
  }

  @Test
  void threadsOfABurstEndSoon() throws Exception {
    start(Map.of());
    honestClientIsAnswered();
    ExecutorService clients = Executors.newFixedThreadPool(80);
    for (int i = 0; i < 80; i++) {
      String name = i % 2 == 0 ? "tcp" : "tuple";
      clients.submit(() -> Servers.query(servers.endpoints().get(name), "slow"));
    }
    Thread.sleep(1_000);
    assertTrue(threads() >= 60, "the burst needs threads: " + threads());
    clients.shutdown();
    assertTrue(clients.awaitTermination(60, TimeUnit.SECONDS));
    for (int i = 0; i < 400 && threads() > 20; i++) {
      Thread.sleep(100);
    }
    assertTrue(threads() <= 20, threads() + " threads are left");
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().startsWith("thrift-tcp") || t.getName().startsWith("thrift-http"))
        .count();
  }

  @ParameterizedTest
  @CsvSource({
    "200, Content-Type: application/x-thrift",
    "200, Content-Type: application/x-thrift; charset=utf-8",
    "200, Host: 127.0.0.1:8080",
    "200, Host: [::1]:8080",
    "200, Host: 192.0.2.7",
    "200, Host: LOCALHOST:8080",
    "200, Host: models.example:8080",
    "200, Origin: http://localhost",
    "415, Content-Type: text/plain",
    "415, Content-Type: application/x-www-form-urlencoded",
    "415, Content-Type: multipart/form-data",
    "415, Content-Type:",
    "403, Origin: http://evil.example",
    "403, Origin: http://localhost:3000",
    "403, Origin: null",
    "421, Host: evil.example",
    "421, Host: 127.0.0.1.evil.example:8080",
    "421, Host: 127.0.0.1.",
  })
  void onlyClientsOfTheApiComeIn(int status, String line) throws Exception {
    start(Map.of("host_names", List.of("models.example")));
    byte[] plain = request("http", "honest");
    byte[] message =
        Arrays.copyOfRange(
            plain,
            new String(plain, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n") + 4,
            plain.length);
    Socket socket = send("http", joined(header(message.length, line), message));
    String answer =
        new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))
            .readLine();
    assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD", "PUT", "OPTIONS", "TRACE", "DELETE"})
  void onlyPostsAreAnswered(String method) throws Exception {
    start(Map.of());
    String request = method + " /thrift/hawk/tuple HTTP/1.1\r\nHost: localhost\r\n\r\n";
    Socket socket = send("http", request.getBytes(StandardCharsets.US_ASCII));
    String answer =
        new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))
            .readLine();
    assertTrue(answer.startsWith("HTTP/1.1 405"), answer);
  }
}
