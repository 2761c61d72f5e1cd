package org.modelstress.cdo.driver;

import java.net.URI;
import java.util.concurrent.Future;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.client.ClientUpgradeRequest;
import org.eclipse.net4j.util.container.IManagedContainer;
import org.eclipse.spi.net4j.ConnectorFactory;
import org.eclipse.spi.net4j.InternalChannel;
import org.modelstress.cdo.websocket.WebSocketConnector;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Options;

/** A connection over WebSocket that counts what goes over its channels. */
final class WebSocketLink extends WebSocketConnector implements Link {
  private final URI uri;
  private final SharedWebSockets shared;
  private final LinkState state;
  private Future<Session> upgrade;

  private WebSocketLink(URI uri, SharedWebSockets shared, boolean noDelay, Runnable onLoss) {
    super(noDelay);
    this.uri = uri;
    this.shared = shared;
    this.state = new LinkState(onLoss);
  }

  /** Connects by {@code ws://host:port/path}; option {@code tcp_nodelay}. */
  static final class Maker extends ConnectorFactory implements Link.Maker {
    private static final String TYPE = "ws";

    private final SharedWebSockets shared;
    private final boolean noDelay;
    private final Runnable onLoss;
    private WebSocketLink made;

    Maker(SharedWebSockets shared, Options options, Runnable onLoss) {
      super(TYPE);
      this.shared = shared;
      this.noDelay = Boolean.parseBoolean(options.text("tcp_nodelay", "false"));
      this.onLoss = onLoss;
    }

    @Override
    public void prepare(IManagedContainer container) {
      container.registerFactory(this);
    }

    @Override
    public void connect(IManagedContainer container, Endpoint endpoint) {
      // Net4j's own way to wait has a race, which there is no reason to copy here
      SafeConnect.connect(container, TYPE, endpoint.uri().toString(), CONNECT_MILLIS);
    }

    @Override
    public WebSocketLink create(String description) {
      made = new WebSocketLink(URI.create(description), shared, noDelay, onLoss);
      return made;
    }

    @Override
    public Link made() {
      return made;
    }
  }

  @Override
  protected void doActivate() throws Exception {
    super.doActivate();
    upgrade = shared.client().connect(events(), uri, new ClientUpgradeRequest());
  }

  @Override
  protected void connected(Session made) {
    super.connected(made);
    leaveConnecting();
  }

  @Override
  protected void lost(Throwable cause) {
    if (state.failure() == null) {
      state.failed(cause);
    }
    state.lose();
    super.lost(cause);
  }

  @Override
  public LinkState state() {
    return state;
  }

  @Override
  public void release() {
    close();
    if (upgrade != null) {
      upgrade.cancel(true); // an answer that never came
    }
    disconnect();
  }

  @Override
  protected InternalChannel createChannel() {
    return state.countedChannel();
  }

  @Override
  public Location getLocation() {
    return Location.CLIENT;
  }

  @Override
  public String getURL() {
    return uri.toString();
  }

  @Override
  public String toString() {
    return "WebSocketLink[" + uri + "]";
  }
}
