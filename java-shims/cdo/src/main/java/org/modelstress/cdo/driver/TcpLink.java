package org.modelstress.cdo.driver;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import org.eclipse.net4j.internal.tcp.TCPClientConnector;
import org.eclipse.net4j.internal.tcp.TCPConnector;
import org.eclipse.net4j.internal.tcp.TCPConnectorFactory;
import org.eclipse.net4j.tcp.ITCPSelector;
import org.eclipse.net4j.tcp.TCPUtil;
import org.eclipse.net4j.util.container.IManagedContainer;
import org.eclipse.net4j.util.io.IOUtil;
import org.eclipse.net4j.util.om.OMPlatform;
import org.eclipse.spi.net4j.InternalChannel;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Options;

/**
 * Net4j's TCP connector that counts what goes over its channels, tells when the connection is lost,
 * and sets TCP_NODELAY where wanted.
 */
final class TcpLink extends TCPClientConnector implements Link {
  private final LinkState state;
  private final SocketChannel socket;

  private TcpLink(boolean noDelay, Runnable onLoss) {
    this.state = new LinkState(onLoss);
    this.socket = getSocketChannel();
    if (noDelay) {
      sendAtOnce(socket);
    }
  }

  // Net4j only logs why it cannot connect, on the thread that then gives the connector up
  private static final ThreadLocal<TcpLink> CONNECTING = new ThreadLocal<>();

  static {
    OMPlatform.INSTANCE.addLogHandler(
        (logger, level, message, thrown) -> {
          TcpLink connecting = CONNECTING.get();
          if (connecting != null && thrown != null) {
            connecting.state.failed(thrown);
          }
        });
  }

  /** Connects by {@code host:port}; options {@code tcp_nodelay} and {@code safe_connect}. */
  static final class Maker extends TCPConnectorFactory implements Link.Maker {
    private final boolean noDelay;
    private final boolean safe;
    private final Runnable onLoss;
    private TcpLink made;

    Maker(Options options, Runnable onLoss) {
      this.noDelay = Boolean.parseBoolean(options.text("tcp_nodelay", "false"));
      this.safe = Boolean.parseBoolean(options.text("safe_connect", "false"));
      this.onLoss = onLoss;
    }

    @Override
    public void prepare(IManagedContainer container) {
      TCPUtil.prepareContainer(container);
      container.registerFactory(this);
    }

    @Override
    public void connect(IManagedContainer container, Endpoint endpoint) {
      String address = endpoint.host() + ":" + endpoint.port();
      if (safe) {
        SafeConnect.connect(container, TYPE, address, CONNECT_MILLIS);
      } else {
        TCPUtil.getConnector(container, address);
      }
    }

    @Override
    protected TCPConnector createConnector() {
      made = new TcpLink(noDelay, onLoss);
      return made;
    }

    @Override
    public Link made() {
      return made;
    }
  }

  private static void sendAtOnce(SocketChannel channel) {
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    } catch (IOException e) {
      throw new IllegalStateException("TCP_NODELAY cannot be set", e);
    }
  }

  @Override
  public LinkState state() {
    return state;
  }

  @Override
  public void release() {
    close();
    IOUtil.closeSilent(socket); // Net4j forgets it after a failed connect
  }

  @Override
  public void handleRegistration(ITCPSelector selector, SocketChannel channel) {
    CONNECTING.set(this);
    try {
      super.handleRegistration(selector, channel); // this connects
    } finally {
      CONNECTING.remove();
    }
  }

  @Override
  public void handleConnect(ITCPSelector selector, SocketChannel channel) {
    super.handleConnect(selector, channel);
    if (!channel.isConnected()) { // Net4j would say nothing for ten seconds
      state.lose();
    }
  }

  /** Called by the selector's thread when the socket is closed or refuses to be written. */
  @Override
  protected void deactivateAsync() {
    state.lose();
    super.deactivateAsync();
  }

  @Override
  protected InternalChannel createChannel() {
    return state.countedChannel();
  }
}
