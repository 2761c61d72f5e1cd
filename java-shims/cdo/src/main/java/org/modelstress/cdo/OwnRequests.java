package org.modelstress.cdo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.HandlerWrapper;
import org.eclipse.jetty.util.HostPort;

/**
 * Lets through the requests of clients and refuses those that a browser makes for a page of
 * somebody else. A browser does not stop a page from sending to servers that listen on the loopback
 * address only, and with a name that leads there it even shows the page the answers.
 */
final class OwnRequests extends HandlerWrapper {
  private final String method;
  private final boolean loopback;

  /**
   * For one listener.
   *
   * @param method the only one that its servlet is for
   * @param bind the address that it listens on
   */
  OwnRequests(String method, String bind) {
    this.method = method;
    this.loopback = isLoopback(bind);
  }

  private static boolean isLoopback(String bind) {
    try {
      return InetAddress.getByName(bind).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false; // nothing can listen there
    }
  }

  @Override
  public void handle(
      String target, Request base, HttpServletRequest request, HttpServletResponse response)
      throws IOException, ServletException {
    if (!request.getMethod().equals(method)) {
      refuse(base, response, HttpServletResponse.SC_METHOD_NOT_ALLOWED);
    } else if (!isOwnOrigin(request) || (loopback && !isOwnHost(request))) {
      refuse(base, response, HttpServletResponse.SC_FORBIDDEN);
    } else {
      super.handle(target, base, request, response);
    }
  }

  private static void refuse(Request base, HttpServletResponse response, int status)
      throws IOException {
    base.setHandled(true);
    response.sendError(status);
  }

  /** Clients of ours send no origin; every browser sends one with a POST and an upgrade. */
  private static boolean isOwnOrigin(HttpServletRequest request) {
    String own =
        "http://" + HostPort.normalizeHost(request.getLocalAddr()) + ":" + request.getLocalPort();
    return Collections.list(request.getHeaders("Origin")).stream().allMatch(own::equals);
  }

  /** A name that somebody else made lead here is not ours. */
  private static boolean isOwnHost(HttpServletRequest request) {
    List<String> hosts = Collections.list(request.getHeaders("Host"));
    return hosts.size() == 1 && isLoopbackName(hosts.get(0));
  }

  private static boolean isLoopbackName(String host) {
    String name = host.replaceFirst(":\\d+$", "").toLowerCase(Locale.ROOT);
    return name.equals("localhost")
        || name.equals("[::1]")
        || name.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
  }
}
