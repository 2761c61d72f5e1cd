package org.modelstress.cdo.websocket;

import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.net4j.connector.IServerConnector;
import org.eclipse.net4j.util.lifecycle.LifecycleState;

/** The server's end of a connection. */
final class WebSocketServerConnector extends WebSocketConnector implements IServerConnector {
  private final WebSocketAcceptor acceptor;
  private volatile String peer;

  WebSocketServerConnector(WebSocketAcceptor acceptor, boolean noDelay) {
    super(noDelay);
    this.acceptor = acceptor;
  }

  @Override
  protected void connected(Session made) {
    super.connected(made);
    peer = String.valueOf(made.getRemoteAddress());
    activate();
    acceptor.addConnector(this);
  }

  @Override
  protected void lost(Throwable cause) {
    boolean neverActive = getLifecycleState() == LifecycleState.ACTIVATING;
    super.lost(cause);
    if (neverActive) { // the acceptor only hears of connectors that were active
      acceptor.removeConnector(this);
    }
  }

  @Override
  protected void doActivate() throws Exception {
    super.doActivate();
    leaveConnecting();
  }

  @Override
  public WebSocketAcceptor getAcceptor() {
    return acceptor;
  }

  @Override
  public Location getLocation() {
    return Location.SERVER;
  }

  @Override
  public String toString() {
    return "WebSocketServerConnector[" + peer + "]";
  }
}
