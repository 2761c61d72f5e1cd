package org.modelstress.thrift.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TTupleProtocol;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.TZlibTransport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.hawk.api.Hawk;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.InvalidQuery;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.QueryResult;

/** The servers on the wire, in front of a function instead of a store. */
@Timeout(60)
class WireTest {
  private static final int LARGEST_REQUEST = 64 * 1024;
  private static final String LANGUAGE = "org.hawk.epsilon.emc.EOLQueryEngine";

  private Servers servers;

  @BeforeEach
  void start() throws Exception {
    servers =
        Servers.answering(
            WireTest::answer, Map.of("max_request_bytes", LARGEST_REQUEST, "max_threads", 8));
  }

  @AfterEach
  void stop() {
    servers.close();
  }

  /** The text is the number of elements wanted; anything else is not a query. */
  private static QueryResult answer(String query, HawkQueryOptions options) throws InvalidQuery {
    int elements;
    try {
      elements = Integer.parseInt(query.strip());
    } catch (NumberFormatException e) {
      throw new InvalidQuery("not a number: " + query);
    }
    List<QueryResult> all = new ArrayList<>();
    for (int i = 0; i < elements; i++) {
      all.add(QueryResult.vModelElement(new ModelElement().setId("e" + i)));
    }
    return QueryResult.vList(all);
  }

  private static List<String> expected(int elements) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < elements; i++) {
      ids.add("e" + i);
    }
    return ids;
  }

  private static void check(Endpoint endpoint, int elements) throws Exception {
    Outcome outcome = Servers.query(endpoint, "" + elements);
    assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
    assertEquals(new Ids.Strings(expected(elements)), outcome.ids());
    assertTrue(outcome.bytesSent() > 0 && outcome.bytesReceived() > 0);
  }

  @Test
  void everyProtocolAnswers() throws Exception {
    for (Endpoint endpoint : servers.endpoints().values()) {
      for (int elements : new int[] {0, 1, 7, 3000, 100_000}) {
        check(endpoint, elements);
      }
    }
  }

  @Test
  void libthriftsOwnZlibTransportUnderstandsTheServer() throws Exception {
    try (TSocket socket = new TSocket("127.0.0.1", servers.tcp.port(), 20_000)) {
      socket.open();
      Hawk.Client client = new Hawk.Client(new TTupleProtocol(new TZlibTransport(socket)));
      for (int elements : new int[] {1, 20_000, 0}) {
        QueryResult result = client.query("any", "" + elements, LANGUAGE, new HawkQueryOptions());
        assertEquals(
            expected(elements),
            result.getVList().stream().map(r -> r.getVModelElement().getId()).toList());
      }
    }
  }

  @Test
  void aFailureKeepsTheConnection() throws Exception {
    try (TSocket socket = new TSocket("127.0.0.1", servers.tcp.port(), 20_000)) {
      socket.open();
      Hawk.Client client = new Hawk.Client(new TTupleProtocol(new TZlibTransport(socket)));
      InvalidQuery invalid =
          assertThrows(
              InvalidQuery.class, () -> client.query("any", "x", LANGUAGE, new HawkQueryOptions()));
      assertEquals("not a number: x", invalid.getReason());
      TApplicationException absent =
          assertThrows(
              TApplicationException.class, () -> client.listFiles("any", List.of(), List.of()));
      assertTrue(absent.getMessage().contains("not here"), absent.getMessage());
      assertEquals(3, client.query("any", "3", LANGUAGE, new HawkQueryOptions()).getVList().size());
    }
  }

  @Test
  void anUnknownMethodIsSaidToBeOne() throws Exception {
    TMemoryBuffer request = new TMemoryBuffer(100);
    TProtocol out = new TBinaryProtocol(request);
    out.writeMessageBegin(new TMessage("createUser", TMessageType.CALL, 7));
    out.writeStructBegin(new TStruct());
    out.writeFieldStop();
    out.writeMessageEnd();
    HttpResponse<byte[]> answer = post("binary", bytes(request));
    TMemoryBuffer body = new TMemoryBuffer(100);
    body.write(answer.body());
    TProtocol in = new TBinaryProtocol(body);
    TMessage message = in.readMessageBegin();
    assertEquals(TMessageType.EXCEPTION, message.type);
    assertEquals(7, message.seqid);
    TApplicationException told = TApplicationException.readFrom(in);
    assertTrue(told.getMessage().contains("createUser"), told.getMessage());
  }

  private static byte[] bytes(TMemoryBuffer buffer) {
    byte[] bytes = new byte[buffer.length()];
    System.arraycopy(buffer.getArray(), 0, bytes, 0, bytes.length);
    return bytes;
  }

  private HttpResponse<byte[]> post(String path, byte[] body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + servers.http.port() + "/thrift/hawk/" + path))
            .timeout(Duration.ofSeconds(20))
            .header("Content-Type", "application/x-thrift")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .build()
        .send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  private static byte[] request(WireProtocol protocol, String query) throws TException {
    TMemoryBuffer buffer = new TMemoryBuffer(100);
    new Hawk.Client(protocol.over(buffer))
        .send_query("any", query, LANGUAGE, new HawkQueryOptions());
    return bytes(buffer);
  }

  @Test
  void answersAreCompressedForThoseWhoAcceptIt() throws Exception {
    byte[] request = request(WireProtocol.BINARY, "500");
    HttpResponse<byte[]> plain = post("binary", request);
    HttpResponse<byte[]> zipped = post("binary", request, "Accept-Encoding", "deflate, gzip");
    assertTrue(plain.headers().firstValue("Content-Encoding").isEmpty());
    assertEquals("gzip", zipped.headers().firstValue("Content-Encoding").orElseThrow());
    assertEquals("application/x-thrift", zipped.headers().firstValue("Content-Type").orElseThrow());
    assertTrue(zipped.body().length < plain.body().length / 2);
    try (InputStream in =
        new java.util.zip.GZIPInputStream(new java.io.ByteArrayInputStream(zipped.body()))) {
      org.junit.jupiter.api.Assertions.assertArrayEquals(plain.body(), in.readAllBytes());
    }
  }

  @Test
  void whatIsNotARequestIsRefusedWithAReason() throws Exception {
    assertEquals(404, post("thing", new byte[0]).statusCode());
    assertEquals(415, post("binary", new byte[9], "Content-Encoding", "gzip").statusCode());
    assertEquals(413, post("binary", new byte[LARGEST_REQUEST + 1]).statusCode());
    HttpResponse<byte[]> malformed = post("tuple", "rubbish".getBytes(StandardCharsets.UTF_8));
    assertEquals(400, malformed.statusCode());
    assertTrue(
        new String(malformed.body(), StandardCharsets.UTF_8).contains("tuple"),
        "the reason names the protocol");
    check(servers.endpoints().get("tuple"), 5);
  }

  @Test
  void malformedBytesDoNotDisturbOthers() throws Exception {
    Random random = new Random(19871053);
    for (int i = 0; i < 60; i++) {
      byte[] rubbish = i % 3 == 0 ? mutated(random) : new byte[random.nextInt(3000)];
      if (i % 3 != 0) {
        random.nextBytes(rubbish);
      }
      sendTcp(i % 2 == 0 ? rubbish : zipped(rubbish));
      for (WireProtocol protocol : WireProtocol.values()) {
        post(protocol.path(), rubbish);
      }
    }
    for (Endpoint endpoint : servers.endpoints().values()) {
      check(endpoint, 10);
    }
  }

  /** A request with some bytes changed. */
  private static byte[] mutated(Random random) throws TException {
    byte[] request = request(WireProtocol.values()[random.nextInt(4)], "2");
    for (int i = 0; i < 5; i++) {
      request[random.nextInt(request.length)] = (byte) random.nextInt();
    }
    return request;
  }

  private static byte[] zipped(byte[] plain) throws Exception {
    var bytes = new java.io.ByteArrayOutputStream();
    try (var out = new DeflaterOutputStream(bytes, new Deflater(), true)) {
      out.write(plain);
    }
    return bytes.toByteArray();
  }

  /** Sends bytes and waits until the server has ended the connection. */
  private void sendTcp(byte[] bytes) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), servers.tcp.port())) {
      socket.setSoTimeout(20_000);
      OutputStream out = socket.getOutputStream();
      out.write(bytes);
      out.flush();
      socket.shutdownOutput();
      try {
        socket.getInputStream().transferTo(OutputStream.nullOutputStream());
      } catch (java.net.SocketException e) {
        // it was reset: the server did not read to the end
      }
    }
  }

  @Test
  void aRequestThatClaimsToBeHugeCostsNothing() throws Exception {
    TMemoryBuffer name = new TMemoryBuffer(100);
    TProtocol compact = new TCompactProtocol(name);
    compact.writeMessageBegin(new TMessage("query", TMessageType.CALL, 1));
    compact.writeFieldBegin(new TField("name", TType.STRING, (short) 1));
    byte[] begun = bytes(name);
    byte[] claim = java.util.Arrays.copyOf(begun, begun.length + 5);
    for (int i = 0; i < 4; i++) {
      claim[begun.length + i] = (byte) 0xff; // a variable-length integer of 2 GiB
    }
    claim[begun.length + 4] = 7;
    assertTrue(isRefused(post("compact", claim)));
    byte[] bomb = zipped(new byte[50 << 20]);
    assertTrue(bomb.length < LARGEST_REQUEST);
    sendTcp(bomb);
    check(servers.endpoints().get("tcp"), 2);
  }

  private static boolean isRefused(HttpResponse<byte[]> answer) {
    return answer.statusCode() == 400
        || new String(answer.body(), StandardCharsets.ISO_8859_1).contains("size");
  }

  @Test
  void aRequestThatIsNestedDeeplyIsRefused() throws Exception {
    TMemoryBuffer request = new TMemoryBuffer(100);
    TProtocol out = new TBinaryProtocol(request);
    out.writeMessageBegin(new TMessage("query", TMessageType.CALL, 1));
    for (int i = 0; i < 10_000; i++) {
      out.writeFieldBegin(new TField("deeper", TType.STRUCT, (short) 99));
    }
    HttpResponse<byte[]> answer = post("binary", bytes(request));
    assertTrue(
        new String(answer.body(), StandardCharsets.ISO_8859_1).contains("depth"),
        () -> answer.statusCode() + " " + new String(answer.body(), StandardCharsets.UTF_8));
    check(servers.endpoints().get("binary"), 2);
  }

  @Test
  void moreConnectionsThanThreadsWaitTheirTurn() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(40);
    try {
      for (String name : List.of("tcp", "tuple")) {
        List<Future<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
          int elements = i;
          Callable<Boolean> task =
              () -> {
                check(servers.endpoints().get(name), elements);
                return true;
              };
          all.add(pool.submit(task));
        }
        for (Future<Boolean> one : all) {
          assertTrue(one.get(40, TimeUnit.SECONDS));
        }
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void noMoreThreadsWorkThanTheCap() throws Exception {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Map<String, Object> options = Map.of("max_threads", 3);
    try (Servers capped =
        Servers.answering(
            (query, o) -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              Thread.sleep(20);
              now.decrementAndGet();
              return answer(query, o);
            },
            options)) {
      Map<String, Integer> reached = new HashMap<>();
      for (String name : List.of("tcp", "tuple")) {
        most.set(0);
        ExecutorService pool = Executors.newFixedThreadPool(12);
        for (int i = 0; i < 36; i++) {
          pool.submit(() -> Servers.query(capped.endpoints().get(name), "1"));
        }
        pool.shutdown();
        assertTrue(pool.awaitTermination(30, TimeUnit.SECONDS));
        reached.put(name, most.get());
      }
      assertEquals(Map.of("tcp", 3, "tuple", 3), reached);
    }
  }

  @Test
  void idleConnectionsAreClosed() throws Exception {
    Map<String, Object> options = Map.of("idle_timeout_ms", 200);
    try (Servers impatient = Servers.answering(WireTest::answer, options)) {
      for (int port : new int[] {impatient.tcp.port(), impatient.http.port()}) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
          socket.setSoTimeout(10_000);
          CountDownLatch ended = new CountDownLatch(1);
          Thread reader =
              new Thread(
                  () -> {
                    try {
                      socket.getInputStream().transferTo(OutputStream.nullOutputStream());
                    } catch (java.io.IOException e) {
                      return; // the timeout of the test, not the server's
                    }
                    ended.countDown();
                  });
          reader.start();
          for (int i = 0; i < 100 && ended.getCount() > 0; i++) {
            impatient.tcp.closeIdle();
            ended.await(100, TimeUnit.MILLISECONDS);
          }
          assertEquals(0, ended.getCount());
        }
      }
    }
  }

  @Test
  void nothingIsLeftOfFiveHundredConnections() throws Exception {
    for (Endpoint endpoint : servers.endpoints().values()) {
      check(endpoint, 1);
    }
    int threads = Thread.activeCount();
    for (int i = 0; i < 500; i++) {
      check(servers.endpoints().get(i % 2 == 0 ? "tcp" : "tuple"), 1);
    }
    for (int i = 0; i < 100 && servers.tcp.connections() > 0; i++) {
      Thread.sleep(20);
    }
    assertEquals(0, servers.tcp.connections());
    // each server may keep the threads of its cap, and no more
    assertTrue(Thread.activeCount() <= threads + 2 * 8 + 2, () -> "" + Thread.activeCount());
  }

  @Test
  void closingEndsThreadsAndConnections() throws Exception {
    Servers other = Servers.answering(WireTest::answer, Map.of());
    try (Socket open = new Socket(InetAddress.getLoopbackAddress(), other.tcp.port())) {
      other.close();
      open.setSoTimeout(10_000);
      assertEquals(-1, open.getInputStream().read());
    }
    int port = other.tcp.port();
    assertThrows(
        java.io.IOException.class,
        () -> new Socket(InetAddress.getLoopbackAddress(), port).close());
    assertFalse(
        Thread.getAllStackTraces().keySet().stream()
            .anyMatch(t -> t.getName().equals("thrift-tcp-accept") && t != acceptorOf(servers)));
  }

  private static Thread acceptorOf(Servers servers) {
    return servers.tcp.acceptor();
  }
}
