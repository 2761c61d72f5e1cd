package org.modelstress.metadata.web;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.modelstress.metadata.exchange.Exchange;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataException.Reason;
import org.modelstress.metadata.service.MetadataService;

/**
 * Takes requests. Bodies are read without a thread that waits for them: slow clients hold a
 * connection and nothing else. Requests of web pages are refused: pages of other sites cannot use a
 * service that listens on their reader's computer.
 */
final class WebHandler extends Handler.Abstract {
  private static final int BODY_BYTES = 32 << 20;
  private static final int EXCHANGES = 4;
  private static final Pattern HOST =
      Pattern.compile("(localhost|[0-9.]+|\\[[0-9a-f:.]+])(:\\d+)?");
  private static final String EXCHANGE = "POST /v1/exchange";
  private static final String OPENAPI = "GET /v1/openapi.yaml";

  private final MetadataService service;
  private final Map<String, Call.Route> routes;
  private final Map<String, Pattern> variable = new HashMap<>();
  private final Semaphore exchanges = new Semaphore(EXCHANGES);

  WebHandler(MetadataService service) {
    this.service = service;
    this.routes = new Routes(service).all();
    for (String route : routes.keySet()) {
      if (route.contains("*")) {
        variable.put(route, Pattern.compile(route.replace("*", "([^/]+)")));
      }
    }
  }

  /**
   * The route of a request.
   *
   * @param part what stands for its variable part; null where it has none
   */
  private record Found(String name, String part) {}

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    String refusal = refusal(request);
    if (refusal != null) {
      fail(response, callback, 403, "refused", refusal);
      return true;
    }
    Found found = route(request);
    if (found == null) {
      fail(response, callback, 404, "not_found", "there is no such path or method");
      return true;
    }
    String name = found.name();
    String wanted = name.equals(EXCHANGE) ? "application/xml" : "application/json";
    boolean hasBody = !request.getMethod().equals("GET");
    if (hasBody && !isOf(request, wanted)) {
      fail(response, callback, 415, "invalid", "the body's Content-Type is " + wanted);
      return true;
    }
    switch (name) {
      case EXCHANGE -> exchange(request, response, callback);
      case OPENAPI -> openApi(response, callback);
      default -> read(request, response, callback, routes.get(name), found.part());
    }
    return true;
  }

  private static String refusal(Request request) {
    if (request.getHeaders().contains(HttpHeader.ORIGIN)) {
      return "requests of web pages are not answered";
    }
    String host = request.getHeaders().get(HttpHeader.HOST);
    return host == null || !HOST.matcher(host.toLowerCase(Locale.ROOT)).matches()
        ? "header Host is no address of a computer"
        : null;
  }

  private static boolean isOf(Request request, String type) {
    String given = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
    return given != null && given.split(";")[0].strip().equalsIgnoreCase(type);
  }

  /** The route of a request; null where there is none. */
  private Found route(Request request) {
    String name = request.getMethod() + " " + Request.getPathInContext(request);
    if (routes.containsKey(name) || name.equals(EXCHANGE) || name.equals(OPENAPI)) {
      return new Found(name, null);
    }
    for (Map.Entry<String, Pattern> each : variable.entrySet()) {
      Matcher matcher = each.getValue().matcher(name);
      if (matcher.matches()) {
        String part = matcher.group(1).replace("+", "%2B"); // a plus is no space in a path
        return new Found(each.getKey(), URLDecoder.decode(part, StandardCharsets.UTF_8));
      }
    }
    return null;
  }

  private void read(
      Request request, Response response, Callback callback, Call.Route route, String part) {
    if (request.getLength() > BODY_BYTES) {
      fail(response, callback, 413, "invalid", "the body is longer than " + BODY_BYTES + " bytes");
      return;
    }
    new BodyReader(
            request,
            BODY_BYTES,
            Promise.from(
                body -> answer(request, response, callback, route, part, body),
                failure ->
                    fail(
                        response,
                        callback,
                        failure instanceof BodyReader.TooLong ? 413 : 400,
                        "invalid",
                        failure instanceof BodyReader.TooLong
                            ? failure.getMessage()
                            : "the body did not come to its end")))
        .run();
  }

  private static void answer(
      Request request,
      Response response,
      Callback callback,
      Call.Route route,
      String part,
      byte[] body) {
    try {
      Call call = new Call(part, query(request), body);
      Call.Answer answer = route.answer(call);
      call.end();
      response.setStatus(answer.status());
      send(
          response,
          callback,
          "application/json",
          answer.body() == null ? new byte[0] : Json.bytes(answer.body()));
    } catch (MetadataException e) {
      fail(response, callback, e);
    } catch (RuntimeException e) {
      e.printStackTrace();
      fail(response, callback, 500, "failed", "the service failed: " + e);
    }
  }

  private static Map<String, String> query(Request request) throws MetadataException {
    Map<String, String> query = new HashMap<>();
    try {
      Request.extractQueryParameters(request, StandardCharsets.UTF_8)
          .forEach(field -> query.put(field.getName(), field.getValue()));
    } catch (IllegalArgumentException e) {
      throw MetadataException.invalid("the parameters are not understood");
    }
    return query;
  }

  private void exchange(Request request, Response response, Callback callback) {
    if (!exchanges.tryAcquire()) {
      fail(response, callback, 503, "busy", "other files are being read");
      return;
    }
    try (InputStream in = Content.Source.asInputStream(request)) {
      Exchange.Read read = new Exchange(service).read(in);
      ObjectNode json = Json.object();
      json.put("types", read.types()).put("objects", read.objects()).put("links", read.links());
      response.setStatus(200);
      send(response, callback, "application/json", Json.bytes(json));
    } catch (MetadataException e) {
      fail(response, callback, e);
    } catch (IOException e) {
      fail(response, callback, 400, "invalid", "the file did not come to its end");
    } finally {
      exchanges.release();
    }
  }

  private static void openApi(Response response, Callback callback) {
    try (InputStream in = WebHandler.class.getResourceAsStream("openapi.yaml")) {
      send(response, callback, "application/yaml", in.readAllBytes());
    } catch (IOException e) {
      fail(response, callback, 500, "failed", "the description cannot be read");
    }
  }

  private static void send(Response response, Callback callback, String type, byte[] body) {
    if (response.getStatus() != 204) {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
    }
    response.write(
        true, body.length == 0 ? BufferUtil.EMPTY_BUFFER : ByteBuffer.wrap(body), callback);
  }

  private static void fail(Response response, Callback callback, MetadataException e) {
    int status =
        switch (e.reason()) {
          case INVALID -> 400;
          case NOT_FOUND -> 404;
          case CONFLICT -> 409;
          case BUSY -> 503;
          case TIMEOUT -> 504;
          case FAILED -> 500;
        };
    fail(response, callback, status, word(e.reason()), e.getMessage());
  }

  /** A reason as answers have it. */
  static String word(Reason reason) {
    return reason.name().toLowerCase(Locale.ROOT);
  }

  private static void fail(
      Response response, Callback callback, int status, String reason, String message) {
    if (response.isCommitted()) {
      callback.failed(new IOException(message));
      return;
    }
    response.setStatus(status);
    ObjectNode json = Json.object().put("reason", reason).put("message", message);
    send(response, callback, "application/json", Json.bytes(json));
  }
}
