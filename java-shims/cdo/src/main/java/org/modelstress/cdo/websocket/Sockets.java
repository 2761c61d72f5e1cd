package org.modelstress.cdo.websocket;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.common.WebSocketSession;
import org.eclipse.jetty.websocket.common.io.AbstractWebSocketConnection;

/** Options of the socket below a WebSocket. */
final class Sockets {
  private Sockets() {}

  /**
   * Sets TCP_NODELAY as wanted. Jetty has it on for whole clients and listeners; here it is an
   * option of every connection, as with TCP.
   */
  static void sendAtOnce(Session session, boolean noDelay) {
    try {
      of(session).setOption(StandardSocketOptions.TCP_NODELAY, noDelay);
    } catch (IOException e) {
      throw new IllegalStateException("TCP_NODELAY cannot be set", e);
    }
  }

  /** The socket of a WebSocket. */
  static NetworkChannel of(Session session) {
    var connection = (AbstractWebSocketConnection) ((WebSocketSession) session).getConnection();
    return (NetworkChannel) connection.getEndPoint().getTransport();
  }
}
