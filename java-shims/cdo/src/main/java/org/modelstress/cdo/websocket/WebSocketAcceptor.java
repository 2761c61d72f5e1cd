package org.modelstress.cdo.websocket;

import org.eclipse.net4j.util.container.IManagedContainer;
import org.eclipse.spi.net4j.Acceptor;
import org.eclipse.spi.net4j.AcceptorFactory;

/** The connections that clients made to a server's WebSocket. */
public final class WebSocketAcceptor extends Acceptor {
  private static final String TYPE = "ws";

  private final boolean noDelay;

  private WebSocketAcceptor(boolean noDelay) {
    this.noDelay = noDelay;
  }

  /**
   * Makes an acceptor in an active container.
   *
   * @param noDelay whether accepted sockets send small packets at once (TCP_NODELAY)
   */
  public static WebSocketAcceptor in(IManagedContainer container, boolean noDelay) {
    container.registerFactory(
        new AcceptorFactory(TYPE) {
          @Override
          public WebSocketAcceptor create(String description) {
            return new WebSocketAcceptor(noDelay);
          }
        });
    return (WebSocketAcceptor)
        container.getElement(AcceptorFactory.PRODUCT_GROUP, TYPE, WebSocketConnector.PATH);
  }

  /** What a client connects to. */
  WebSocketEvents accept() {
    WebSocketServerConnector connector = new WebSocketServerConnector(this, noDelay);
    prepareConnector(connector);
    return connector.events();
  }

  /** The size of the largest message, which is that of Net4j's buffers. */
  int messageBytes() {
    return getConfig().getBufferProvider().getBufferCapacity();
  }
}
