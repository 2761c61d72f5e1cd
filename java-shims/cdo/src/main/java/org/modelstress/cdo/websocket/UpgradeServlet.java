package org.modelstress.cdo.websocket;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.util.HostPort;
import org.eclipse.jetty.websocket.api.WebSocketPolicy;
import org.eclipse.jetty.websocket.servlet.ServletUpgradeRequest;
import org.eclipse.jetty.websocket.servlet.ServletUpgradeResponse;
import org.eclipse.jetty.websocket.servlet.WebSocketServlet;
import org.eclipse.jetty.websocket.servlet.WebSocketServletFactory;

/**
 * Upgrades HTTP requests to Net4j connections.
 *
 * <p>A request that a browser makes for a page of somebody else is refused: a browser does not stop
 * a page from opening WebSockets to servers that only listen on the loopback address. There is no
 * compression; Net4j's buffers are small and TCP, the transport to compare with, has none.
 */
public final class UpgradeServlet extends WebSocketServlet {
  private static final long serialVersionUID = 1L;

  /**
   * A connection without a byte in either direction ends after an hour: far above any query, and
   * the connections of clients that vanished from the network do not stay for ever.
   */
  private static final long IDLE_MILLIS = 3_600_000;

  private final transient WebSocketAcceptor acceptor;

  /** Hands connections to this acceptor. */
  public UpgradeServlet(WebSocketAcceptor acceptor) {
    this.acceptor = acceptor;
  }

  @Override
  public void configure(WebSocketServletFactory factory) {
    WebSocketPolicy policy = factory.getPolicy();
    policy.setIdleTimeout(IDLE_MILLIS);
    policy.setInputBufferSize(WebSocketConnector.READ_BYTES);
    policy.setMaxBinaryMessageSize(acceptor.messageBytes());
    policy.setMaxTextMessageSize(acceptor.messageBytes());
    factory.setCreator(this::upgrade);
  }

  private WebSocketEvents upgrade(ServletUpgradeRequest request, ServletUpgradeResponse response) {
    try {
      if (request.getOrigin() != null && !request.getOrigin().equals(origin(request))) {
        response.sendForbidden("connections for pages of " + request.getOrigin() + " are refused");
        return null;
      }
      if (!acceptor.isActive()) {
        response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE, "the server is closing");
        return null;
      }
      response.setExtensions(List.of()); // whatever was asked for
      return acceptor.accept();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What is ours. Not from the Host header, which a page can make a browser send as it likes. */
  private static String origin(ServletUpgradeRequest request) {
    return "http://"
        + HostPort.normalizeHost(request.getLocalAddress())
        + ":"
        + request.getLocalPort();
  }
}
