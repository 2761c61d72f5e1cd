package org.modelstress.example;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.util.List;
import java.util.Locale;

/**
 * Which requests are those of a client, and not of a web page that somebody has open in a browser:
 * a page can send to servers that only this machine reaches, too.
 */
final class OwnRequests {
  /** A page can send this only after asking, which is not answered. */
  static final String TYPE = "application/x-eol";

  private OwnRequests() {}

  /** The status with which a request is refused; 0 for one that is answered. */
  static int refusal(HttpExchange exchange) {
    Headers headers = exchange.getRequestHeaders();
    if (!exchange.getRequestMethod().equals("POST")) {
      return 405;
    }
    boolean local = exchange.getLocalAddress().getAddress().isLoopbackAddress();
    if (headers.containsKey("Origin") || (local && !isLoopback(sole(headers, "Host")))) {
      return 403;
    }
    return sole(headers, "Content-Type").matches(TYPE + " *(;.*)?") ? 0 : 415;
  }

  /** Any other name can be made to lead here by its owner. */
  private static boolean isLoopback(String host) {
    return host.matches("(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d+)?");
  }

  private static String sole(Headers headers, String name) {
    List<String> values = headers.getOrDefault(name, List.of());
    return values.size() == 1 ? values.get(0).strip().toLowerCase(Locale.ROOT) : "";
  }
}
