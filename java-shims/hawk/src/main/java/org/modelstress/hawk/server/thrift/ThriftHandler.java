package org.modelstress.hawk.server.thrift;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TException;
import org.apache.thrift.TProcessor;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One POST request is one Thrift message, its answer another; the path names the protocol. */
final class ThriftHandler extends Handler.Abstract {
  /** Every path begins so, as with Hawk's own server. */
  static final String ROOT = "/thrift/hawk/";

  private static final Logger LOG = LoggerFactory.getLogger(ThriftHandler.class);
  private static final HttpField THRIFT =
      new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, "application/x-thrift");
  private static final HttpField GZIP =
      new PreEncodedHttpField(HttpHeader.CONTENT_ENCODING, "gzip");

  /** Below this, gzip's own 18 bytes are not won back. */
  private static final int SMALLEST_GZIP = 128;

  private static final Map<String, WireProtocol> PATHS = WireProtocol.byPath(ROOT);

  private final TProcessor processor;
  private final ApiOptions options;
  private final TConfiguration limits;
  private final ThreadLocal<Exchange> exchanges = new ThreadLocal<>();

  ThriftHandler(TProcessor processor, ApiOptions options, TConfiguration limits) {
    this.processor = processor;
    this.options = options;
    this.limits = limits;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    WireProtocol protocol = PATHS.get(Request.getPathInContext(request));
    if (protocol == null) {
      refuse(response, callback, HttpStatus.NOT_FOUND_404, "the API is at " + PATHS.keySet());
    } else if (!HttpMethod.POST.is(request.getMethod())) {
      refuse(response, callback, HttpStatus.METHOD_NOT_ALLOWED_405, "a Thrift request is a POST");
    } else if (request.getHeaders().contains(HttpHeader.CONTENT_ENCODING)) {
      refuse(
          response, callback, HttpStatus.UNSUPPORTED_MEDIA_TYPE_415, "requests are not compressed");
    } else {
      answer(protocol, request, response, callback);
    }
    return true;
  }

  private void answer(WireProtocol protocol, Request request, Response response, Callback callback)
      throws IOException, TException {
    Exchange exchange = exchanges.get();
    if (exchange == null) {
      exchange = new Exchange(limits, options.compressionLevel());
    }
    exchanges.remove(); // comes back when it is in a known state again
    if (!exchange.receive(request, options.maxRequestBytes())) {
      exchange.close();
      refuse(
          response,
          callback,
          HttpStatus.PAYLOAD_TOO_LARGE_413,
          "a request has at most " + options.maxRequestBytes() + " bytes");
      return;
    }
    try {
      exchange.process(processor, protocol);
    } catch (TException | RuntimeException | StackOverflowError e) {
      exchange.close();
      LOG.debug("a request was not understood: {}", e.toString());
      refuse(
          response,
          callback,
          HttpStatus.BAD_REQUEST_400,
          "not a request in Thrift's " + protocol.path() + " protocol: " + e.getMessage());
      return;
    }
    send(exchange, acceptsGzip(request.getHeaders()), response);
    exchange.shrink();
    exchanges.set(exchange);
    callback.succeeded();
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
