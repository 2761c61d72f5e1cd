package org.modelstress.cdo;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.net4j.internal.tcp.TCPAcceptor;
import org.eclipse.net4j.internal.tcp.TCPAcceptorFactory;
import org.eclipse.net4j.internal.tcp.TCPConnector;
import org.eclipse.net4j.internal.tcp.TCPServerConnector;
import org.eclipse.net4j.tcp.ITCPSelector;
import org.eclipse.net4j.util.io.IOUtil;

/**
 * Net4j's TCP acceptor, with the port that it really got, and TCP_NODELAY where wanted. Net4j
 * itself only logs that a port is busy and deactivates the acceptor.
 */
final class ServerAcceptor extends TCPAcceptor {
  private static final long BIND_DEADLINE_S = 10;
  private static final long RETRY_MS = 200;

  private final boolean noDelay;
  // the selector's thread binds; its outcome is waited for by whoever asks for the port
  private final CompletableFuture<Integer> port = new CompletableFuture<>();

  private ServerAcceptor(boolean noDelay) {
    this.noDelay = noDelay;
  }

  /** Makes acceptors from {@code address:port}. */
  static final class Factory extends TCPAcceptorFactory {
    private final boolean noDelay;

    Factory(boolean noDelay) {
      this.noDelay = noDelay;
    }

    @Override
    protected TCPAcceptor createAcceptor() {
      return new ServerAcceptor(noDelay);
    }
  }

  /**
   * The port listened on.
   *
   * @throws IOException if the address could not be bound
   */
  int boundPort() throws IOException {
    try {
      return port.get(BIND_DEADLINE_S, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("not bound after " + BIND_DEADLINE_S + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while binding", e);
    }
  }

  @Override
  public void handleRegistration(ITCPSelector selector, ServerSocketChannel channel) {
    super.handleRegistration(selector, channel);
    try {
      InetSocketAddress address = (InetSocketAddress) channel.getLocalAddress();
      if (address == null) {
        throw new IOException("address or port in use");
      }
      port.complete(address.getPort());
    } catch (IOException e) {
      port.completeExceptionally(e);
    }
  }

  /**
   * Net4j stops listening for good when one connection cannot be accepted, for which many open ones
   * suffice: then there are no file descriptors left. Here the next one is tried a little later.
   */
  @Override
  protected void deactivateAsync() {
    SelectionKey key = getSelectionKey();
    if (!isListening() || key == null || !key.isValid()) {
      super.deactivateAsync();
      return;
    }
    key.interestOps(0); // or the selector would try again and again
    CompletableFuture.delayedExecutor(RETRY_MS, TimeUnit.MILLISECONDS)
        .execute(
            () -> {
              if (key.isValid()) {
                key.interestOps(SelectionKey.OP_ACCEPT);
                key.selector().wakeup();
              }
            });
  }

  private boolean isListening() {
    return port.isDone() && !port.isCompletedExceptionally();
  }

  @Override
  protected TCPConnector createConnector() {
    if (!noDelay) {
      return super.createConnector();
    }
    return new TCPServerConnector(this) {
      @Override
      public void setSocketChannel(SocketChannel channel) {
        sendAtOnce(channel);
        super.setSocketChannel(channel);
      }
    };
  }

  private static void sendAtOnce(SocketChannel channel) {
    try {
      if (channel != null) {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      }
    } catch (IOException e) {
      IOUtil.closeSilent(channel); // nobody else would
      throw new IllegalStateException("TCP_NODELAY cannot be set", e);
    }
  }
}
