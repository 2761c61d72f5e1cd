package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.net4j.Net4jUtil;
import org.eclipse.net4j.buffer.IBuffer;
import org.eclipse.net4j.util.container.ContainerUtil;
import org.eclipse.net4j.util.container.IManagedContainer;
import org.eclipse.net4j.util.lifecycle.LifecycleUtil;
import org.eclipse.spi.net4j.Protocol;
import org.eclipse.spi.net4j.ServerProtocolFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The server's end of the WebSocket transport, seen by a client that is not ours (the JDK's). */
@Timeout(120)
class WebSocketTransportTest {
  private static final int FLOOD = 20_000;
  private static final int FLOOD_BYTES = 4_000;

  /** How many buffers of the flood Net4j was able to send so far. */
  private static final AtomicInteger SENT = new AtomicInteger();

  private static IManagedContainer container;
  private static Listener listener;
  private static URI uri;
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @BeforeAll
  static void listen() throws Exception {
    container = ContainerUtil.createContainer();
    Net4jUtil.prepareContainer(container);
    container.registerFactory(
        new ServerProtocolFactory("flood") {
          @Override
          public Flood create(String description) {
            return new Flood();
          }
        });
    container.activate();
    listener =
        Listener.open("websocket", container, "127.0.0.1", 0, ServerOptions.of(java.util.Map.of()));
    uri = URI.create(listener.endpoint());
  }

  @AfterAll
  static void close() {
    listener.close();
    LifecycleUtil.deactivate(container);
  }

  /** Sends many numbered buffers as soon as it is sent one. */
  private static final class Flood extends Protocol<Object> {
    Flood() {
      super("flood");
    }

    @Override
    public void handleBuffer(IBuffer asked) {
      asked.release();
      for (int i = 0; i < FLOOD; i++) {
        IBuffer buffer = getBufferProvider().provideBuffer();
        ByteBuffer bytes = buffer.startPutting(getChannel().getID());
        bytes.putInt(i);
        bytes.position(bytes.position() + FLOOD_BYTES - Integer.BYTES);
        getChannel().sendBuffer(buffer);
        SENT.set(i + 1);
      }
    }
  }

  /** Whole messages and the status of the end; asks for messages one by one when told to. */
  private static final class Messages implements WebSocket.Listener {
    private final CompletableFuture<Integer> status = new CompletableFuture<>();
    private final ByteBuffer message = ByteBuffer.allocate(8_192);
    private final java.util.function.Consumer<ByteBuffer> taker;

    Messages(java.util.function.Consumer<ByteBuffer> taker) {
      this.taker = taker;
    }

    @Override
    public void onOpen(WebSocket socket) {
      socket.request(1);
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
      message.put(data);
      if (last) {
        taker.accept(message.flip());
        message.clear();
      } else {
        socket.request(1);
      }
      return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      status.complete(code);
      return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      status.completeExceptionally(error);
    }
  }

  private static WebSocket connect(String origin, WebSocket.Listener events) throws Exception {
    WebSocket.Builder builder = CLIENT.newWebSocketBuilder();
    if (origin != null) {
      builder.header("Origin", origin);
    }
    return builder.buildAsync(uri, events).get(30, TimeUnit.SECONDS);
  }

  private static WebSocket connect(WebSocket.Listener events) throws Exception {
    return connect(null, events);
  }

  @Test
  void pagesOfOthersAreRefused() throws Exception {
    for (String origin :
        new String[] {
          "http://example.org", "https://127.0.0.1:" + uri.getPort(), "http://127.0.0.1", "null"
        }) {
      ExecutionException e =
          assertThrows(
              ExecutionException.class, () -> connect(origin, new Messages(m -> {})), origin);
      WebSocketHandshakeException refused =
          assertThrows(
              WebSocketHandshakeException.class,
              () -> {
                throw e.getCause();
              });
      assertEquals(403, refused.getResponse().statusCode(), origin);
    }
    connect("http://127.0.0.1:" + uri.getPort(), new Messages(m -> {})).abort();
  }

  @ParameterizedTest
  @CsvSource({"/, 404", "/net4j/, 404", "/net4j/x, 404", "/net4j, 405"})
  void nothingElseIsServed(String path, int status) throws Exception {
    URI http = new URI("http", null, uri.getHost(), uri.getPort(), path, null, null);
    assertEquals(
        status,
        CLIENT.send(HttpRequest.newBuilder(http).build(), BodyHandlers.discarding()).statusCode());
  }

  @ParameterizedTest
  @CsvSource({
    "00, 1002", // shorter than a header
    "63000001, 1002", // no such operation
    "02000001, 1002", // an opening without version and name
    "020000010000000080000000, 1002", // a name with a negative length
    "05000000, 1002", // nobody negotiates
  })
  void nonsenseEndsTheConnection(String hex, int status) throws Exception {
    Messages events = new Messages(m -> {});
    WebSocket socket = connect(events);
    socket.sendBinary(ByteBuffer.wrap(java.util.HexFormat.of().parseHex(hex)), true);
    assertEquals(status, events.status.get(30, TimeUnit.SECONDS));
  }

  @Test
  void textAndTooMuchEndTheConnection() throws Exception {
    Messages text = new Messages(m -> {});
    connect(text).sendText("hello", true);
    assertEquals(1003, text.status.get(30, TimeUnit.SECONDS));

    Messages large = new Messages(m -> {});
    connect(large).sendBinary(ByteBuffer.allocate(5_000), true);
    assertEquals(1009, large.status.get(30, TimeUnit.SECONDS));

    Messages parts = new Messages(m -> {});
    WebSocket socket = connect(parts);
    socket.sendBinary(ByteBuffer.allocate(3_000), false).get(30, TimeUnit.SECONDS);
    socket.sendBinary(ByteBuffer.allocate(3_000), true);
    assertEquals(1009, parts.status.get(30, TimeUnit.SECONDS));
  }

  @Test
  void aChannelOfAnUnknownProtocolIsToldWhyNot() throws Exception {
    CompletableFuture<String> answer = new CompletableFuture<>();
    WebSocket socket =
        connect(new Messages(m -> answer.complete(StandardCharsets.UTF_8.decode(m).toString())));
    socket.sendBinary(open((short) 1, "gopher"), true);
    assertTrue(answer.get(30, TimeUnit.SECONDS).contains("gopher"), answer::join);
    socket.abort();
  }

  /** Whoever does not read stops the sender, and gets everything in order when reading again. */
  @Test
  void aSlowConsumer() throws Exception {
    SENT.set(0);
    CompletableFuture<Void> opened = new CompletableFuture<>();
    CompletableFuture<Integer> received = new CompletableFuture<>();
    AtomicInteger next = new AtomicInteger();
    Messages events =
        new Messages(
            message -> {
              if (!opened.isDone()) {
                opened.complete(null);
                return;
              }
              int number = message.getInt(IBuffer.HEADER_SIZE);
              if (number != next.get() || message.limit() != IBuffer.HEADER_SIZE + FLOOD_BYTES) {
                received.completeExceptionally(
                    new IOException(number + " instead of " + next + ", " + message));
              } else if (next.incrementAndGet() == FLOOD) {
                received.complete(FLOOD);
              }
            });
    WebSocket socket = connect(events);
    socket.sendBinary(open((short) 1, "flood"), true).get(30, TimeUnit.SECONDS);
    opened.get(30, TimeUnit.SECONDS);
    socket.sendBinary(ByteBuffer.wrap(new byte[] {1, 1, 0, 1, 42}), true);

    int stalled = stalled();
    // sockets hold some MiB, the window one
    assertTrue(stalled > 0 && stalled < FLOOD / 2, stalled + " buffers sent to nobody");
    socket.request(Long.MAX_VALUE);
    assertEquals(FLOOD, received.get(90, TimeUnit.SECONDS));
    socket.abort();
  }

  /** What was sent, when nothing more is for two seconds. */
  private static int stalled() throws InterruptedException {
    int before = -1;
    while (SENT.get() == 0 || SENT.get() != before) {
      before = SENT.get();
      Thread.sleep(2_000);
    }
    return before;
  }

  /** An operation that opens a channel for a protocol. */
  private static ByteBuffer open(short channel, String protocol) {
    byte[] name = protocol.getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes = ByteBuffer.allocate(10 + name.length);
    bytes.put((byte) 2).put((byte) 0).putShort(channel).putInt(0);
    return bytes.putShort((short) name.length).put(name).flip();
  }
}
