package org.modelstress.cdo.driver;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.net4j.buffer.IBuffer;
import org.eclipse.net4j.internal.tcp.TCPClientConnector;
import org.eclipse.net4j.internal.tcp.TCPConnector;
import org.eclipse.net4j.internal.tcp.TCPConnectorFactory;
import org.eclipse.net4j.tcp.ITCPSelector;
import org.eclipse.net4j.util.io.IOUtil;
import org.eclipse.net4j.util.om.OMPlatform;
import org.eclipse.spi.net4j.Channel;
import org.eclipse.spi.net4j.InternalChannel;

/**
 * Net4j's TCP connector that counts what goes over its channels (Net4j's frame headers included,
 * its control channel not), tells when the connection is lost, and sets TCP_NODELAY where wanted.
 */
final class ClientConnector extends TCPClientConnector {
  /** Channel id and payload size in front of every buffer. */
  private static final int HEADER_BYTES = 4;

  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong received = new AtomicLong();
  private final SocketChannel socket;
  private volatile Runnable onLoss;
  private volatile boolean lost;
  private volatile Throwable failure;

  private ClientConnector(boolean noDelay, Runnable onLoss) {
    this.socket = getSocketChannel();
    this.onLoss = onLoss;
    if (noDelay) {
      sendAtOnce(socket);
    }
  }

  // Net4j only logs why it cannot connect, on the thread that then gives the connector up
  private static final ThreadLocal<ClientConnector> CONNECTING = new ThreadLocal<>();

  static {
    OMPlatform.INSTANCE.addLogHandler(
        (logger, level, message, thrown) -> {
          ClientConnector connecting = CONNECTING.get();
          if (connecting != null && thrown != null) {
            connecting.failure = thrown;
          }
        });
  }

  /** Makes the connector of one session from {@code host:port}. */
  static final class Factory extends TCPConnectorFactory {
    private final boolean noDelay;
    private final Runnable onLoss;
    private ClientConnector made;

    /** {@code onLoss} runs when a connection is refused or lost, until it is replaced. */
    Factory(boolean noDelay, Runnable onLoss) {
      this.noDelay = noDelay;
      this.onLoss = onLoss;
    }

    @Override
    protected TCPConnector createConnector() {
      made = new ClientConnector(noDelay, onLoss);
      return made;
    }

    /** The connector, even if it could not connect; null if none was asked for. */
    ClientConnector made() {
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

  /** Bytes sent so far. */
  long sent() {
    return sent.get();
  }

  /** Bytes received so far. */
  long received() {
    return received.get();
  }

  /** Why there is no connection, if Net4j said so, else null. */
  Throwable failure() {
    return failure;
  }

  /** Closes the connection; the socket also where Net4j forgets it, after a failed connect. */
  void release() {
    close();
    IOUtil.closeSilent(socket);
  }

  /** Whether the connection is gone. */
  boolean isLost() {
    return lost;
  }

  /** Runs this, once, when the connection is lost; at once if it already is. */
  void onLoss(Runnable action) {
    onLoss = action;
    if (lost) {
      action.run();
    }
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
      lose();
    }
  }

  /** Called by the selector's thread when the socket is closed or refuses to be written. */
  @Override
  protected void deactivateAsync() {
    lose();
    super.deactivateAsync();
  }

  private void lose() {
    lost = true;
    onLoss.run();
  }

  @Override
  protected InternalChannel createChannel() {
    return new CountingChannel();
  }

  private final class CountingChannel extends Channel {
    @Override
    public void handleBuffer(IBuffer buffer) {
      int bytes = buffer.getByteBuffer().position();
      if (bytes > HEADER_BYTES) { // Net4j does not send empty buffers
        sent.addAndGet(bytes);
      }
      super.handleBuffer(buffer);
    }

    @Override
    public void handleBufferFromMultiplexer(IBuffer buffer) {
      received.addAndGet(HEADER_BYTES + buffer.getByteBuffer().limit());
      super.handleBufferFromMultiplexer(buffer);
    }
  }
}
