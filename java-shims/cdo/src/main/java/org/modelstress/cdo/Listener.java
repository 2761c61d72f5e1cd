package org.modelstress.cdo;

import java.io.IOException;
import org.eclipse.net4j.tcp.TCPUtil;
import org.eclipse.net4j.util.container.IManagedContainer;
import org.modelstress.cdo.websocket.UpgradeServlet;
import org.modelstress.cdo.websocket.WebSocketAcceptor;
import org.modelstress.cdo.websocket.WebSocketConnector;
import org.modelstress.harness.server.Ports;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;

/** What listens for clients of one protocol. */
interface Listener {
  /** The address that clients use, such as {@code tcp://127.0.0.1:2036}. */
  String endpoint();

  /** Stops listening, as far as closing Net4j's container does not; never throws. */
  void close();

  /**
   * Listens on an address; port 0 is any free one.
   *
   * @throws ServerException PORT if it is in use, CONFIG for an unknown protocol
   */
  static Listener open(
      String protocol, IManagedContainer container, String bind, int port, ServerOptions options)
      throws ServerException {
    switch (protocol) {
      case "tcp":
        return tcp(container, bind, port);
      case "http":
        return HttpListener.open(container, bind, port, options);
      case "websocket":
        return webSocket(container, bind, port, options);
      default:
        throw new ServerException(
            Exit.CONFIG,
            "ports: cdo does not serve " + protocol + "; it serves http, tcp and websocket",
            null);
    }
  }

  private static Listener tcp(IManagedContainer container, String bind, int port)
      throws ServerException {
    ServerAcceptor acceptor = (ServerAcceptor) TCPUtil.getAcceptor(container, bind + ":" + port);
    try {
      return new Net4jListener("tcp://" + bind + ":" + acceptor.boundPort());
    } catch (IOException e) {
      throw Ports.busy(bind, port, e);
    }
  }

  private static Listener webSocket(
      IManagedContainer container, String bind, int port, ServerOptions options)
      throws ServerException {
    UpgradeServlet servlet =
        new UpgradeServlet(WebSocketAcceptor.in(container, options.tcpNoDelay()));
    return JettyListener.open(
        "ws", bind, port, WebSocketConnector.PATH, servlet, options.maxThreads());
  }

  /** One that ends with Net4j's container. */
  record Net4jListener(String endpoint) implements Listener {
    @Override
    public void close() {}
  }
}
