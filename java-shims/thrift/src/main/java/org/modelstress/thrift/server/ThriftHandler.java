package org.modelstress.thrift.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TException;
import org.apache.thrift.TProcessor;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One POST request is one Thrift message, its answer another; the path names the protocol. Requests
 * are read without blocking, by Jetty's selector; one thread of the pool then does the rest. (A
 * handler that may block costs three more switches of threads for each connection.)
 */
final class ThriftHandler extends Handler.Abstract.NonBlocking {
  /** Every path begins so, as with Hawk's own server. */
  static final String ROOT = "/thrift/hawk/";

  private static final Logger LOG = LoggerFactory.getLogger(ThriftHandler.class);
  private static final HttpField THRIFT =
      new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, "application/x-thrift");
  private static final HttpField GZIP =
      new PreEncodedHttpField(HttpHeader.CONTENT_ENCODING, "gzip");

  /** Below this, gzip's own 18 bytes are not won back. */
  private static final int SMALLEST_GZIP = 128;

  /** Room for most requests. */
  private static final int BUFFER = 1024;

  private static final Map<String, WireProtocol> PATHS = WireProtocol.byPath(ROOT);

  private final BoundedLog log = new BoundedLog(LOG);
  private final TProcessor processor;
  private final ApiOptions options;
  private final TConfiguration limits;
  private final RequestMemory memory;
  private final Gatekeeper gatekeeper;

  /** Requests that have not come whole. */
  private final Set<Call> reading = ConcurrentHashMap.newKeySet();

  private final ThreadLocal<Exchange> exchanges = new ThreadLocal<>();

  ThriftHandler(
      TProcessor processor,
      ApiOptions options,
      TConfiguration limits,
      RequestMemory memory,
      Gatekeeper gatekeeper) {
    this.memory = memory;
    this.gatekeeper = gatekeeper;
    this.processor = processor;
    this.options = options;
    this.limits = limits;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    WireProtocol protocol = PATHS.get(Request.getPathInContext(request));
    if (protocol == null) {
      refuse(response, callback, HttpStatus.NOT_FOUND_404, "the API is at " + PATHS.keySet());
      return true;
    }
    Gatekeeper.Refusal refusal = gatekeeper.refusal(request);
    if (refusal != null) {
      refuse(response, callback, refusal.status(), refusal.sentence());
    } else {
      new Call(protocol, request, response, callback).begin();
    }
    return true;
  }

  /** Closes connections whose request has not come whole in time; to be called regularly. */
  void closeSlow() {
    long now = System.nanoTime();
    long most = TimeUnit.MILLISECONDS.toNanos(options.requestTimeoutMs());
    for (Call call : reading) {
      if (now - call.begun > most) {
        call.endPoint().close(); // its next read fails
      }
    }
  }

  /** One request on its way. */
  private final class Call implements Runnable {
    private final WireProtocol protocol;
    private final Request request;
    private final Response response;
    private final Callback callback;
    private final long begun = System.nanoTime();
    private byte[] body = new byte[BUFFER];
    private int length;
    private long taken;

    Call(WireProtocol protocol, Request request, Response response, Callback callback) {
      this.protocol = protocol;
      this.request = request;
      this.response = response;
      this.callback = callback;
    }

    EndPoint endPoint() {
      return request.getConnectionMetaData().getConnection().getEndPoint();
    }

    void begin() {
      reading.add(this);
      read();
    }

    /** The request has come whole, or never will. */
    private void giveUp() {
      reading.remove(this);
      body = null;
      memory.giveBack(taken);
      taken = 0;
    }

    private void refuseThis(int status, String sentence) {
      giveUp();
      refuse(response, callback, status, sentence);
    }

    /** Reads what has come; called again when there is more. */
    void read() {
      Content.Chunk chunk = request.read();
      while (chunk != null) {
        if (Content.Chunk.isFailure(chunk)) {
          giveUp();
          callback.failed(chunk.getFailure());
          return;
        }
        int more = chunk.getByteBuffer().remaining();
        if (length + more > options.maxRequestBytes()) {
          chunk.release();
          refuseThis(
              HttpStatus.PAYLOAD_TOO_LARGE_413,
              "a request has at most " + options.maxRequestBytes() + " bytes");
          return;
        }
        boolean fits = append(chunk.getByteBuffer());
        chunk.release();
        if (!fits) {
          refuseThis(
              HttpStatus.SERVICE_UNAVAILABLE_503,
              "other large requests hold the memory for such: send it again later");
          return;
        }
        if (chunk.isLast()) {
          reading.remove(this);
          submit();
          return;
        }
        chunk = request.read();
      }
      request.demand(Invocable.from(Invocable.InvocationType.NON_BLOCKING, this::read));
    }

    /** Makes room as the bytes come, whatever the request says about its length. */
    private boolean append(ByteBuffer bytes) {
      int more = bytes.remaining();
      if (length + more > body.length) {
        long doubled = Math.max(2L * body.length, length + more);
        int room = (int) Math.min(doubled, options.maxRequestBytes());
        long missing = Math.max(0, room - RequestMemory.SMALL - taken);
        if (!memory.take(missing)) {
          return false;
        }
        taken += missing;
        body = Arrays.copyOf(body, room);
      }
      bytes.get(body, length, more);
      length += more;
      return true;
    }

    private void submit() {
      try {
        request.getComponents().getExecutor().execute(this);
      } catch (RejectedExecutionException e) {
        giveUp();
        callback.failed(e); // the server stops
      }
    }

    @Override
    public void run() {
      EndPoint client = endPoint();
      Caller.use(client instanceof WatchedEndPoint watched ? new Caller(watched::hasGone) : null);
      try {
        answer();
      } catch (IOException | TException | RuntimeException e) {
        callback.failed(e);
      } finally {
        Caller.use(null);
        giveUp();
      }
    }

    private void answer() throws IOException, TException {
      Exchange exchange = exchanges.get();
      if (exchange == null) {
        exchange = new Exchange(limits, options.compressionLevel());
        exchanges.set(exchange);
      }
      try {
        exchange.process(body, length, processor, protocol);
      } catch (TException | RuntimeException | StackOverflowError e) {
        exchanges.remove(); // its protocols have stopped in the middle
        exchange.close();
        log.say("a request was not understood", e);
        refuse(
            response,
            callback,
            HttpStatus.BAD_REQUEST_400,
            "not a request in Thrift's " + protocol.path() + " protocol: " + e.getMessage());
        return;
      }
      send(exchange, acceptsGzip(request.getHeaders()), response);
      exchange.shrink();
      callback.succeeded();
    }
  }

  private boolean acceptsGzip(HttpFields headers) {
    return options.httpGzip() && headers.contains(HttpHeader.ACCEPT_ENCODING, "gzip");
  }

  /** Returns when the answer has left, because its buffer is then used again. */
  private static void send(Exchange exchange, boolean gzip, Response response) throws IOException {
    ByteBuffer body = exchange.answer();
    HttpFields.Mutable headers = response.getHeaders();
    headers.put(THRIFT);
    if (gzip && body.remaining() >= SMALLEST_GZIP) {
      headers.put(GZIP);
      body = exchange.gzipped(body);
    }
    headers.put(HttpHeader.CONTENT_LENGTH, body.remaining());
    try (Blocker.Callback sent = Blocker.callback()) {
      response.write(true, body, sent);
      sent.block();
    }
  }

  private static void refuse(Response response, Callback callback, int status, String sentence) {
    response.setStatus(status);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain; charset=utf-8");
    Content.Sink.write(response, true, sentence + "\n", callback);
  }
}
