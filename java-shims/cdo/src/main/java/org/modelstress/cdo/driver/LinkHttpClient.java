package org.modelstress.cdo.driver;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.commons.httpclient.DefaultHttpMethodRetryHandler;
import org.apache.commons.httpclient.Header;
import org.apache.commons.httpclient.HttpClient;
import org.apache.commons.httpclient.HttpConnection;
import org.apache.commons.httpclient.HttpMethod;
import org.apache.commons.httpclient.HttpStatus;
import org.apache.commons.httpclient.SimpleHttpConnectionManager;
import org.apache.commons.httpclient.methods.PostMethod;
import org.apache.commons.httpclient.params.HttpConnectionManagerParams;
import org.apache.commons.httpclient.params.HttpConnectionParams;
import org.apache.commons.httpclient.params.HttpMethodParams;
import org.apache.commons.httpclient.protocol.Protocol;
import org.apache.commons.httpclient.protocol.ProtocolSocketFactory;
import org.modelstress.cdo.HttpTransport;
import org.modelstress.harness.spi.Endpoint;

/**
 * The HTTP client that Net4j uses, with one connection, as Net4j has it. On the wire it is the
 * same; besides, a thread that waits for an answer can be interrupted, a failed request is a lost
 * link, requests of several threads wait for each other (Net4j's last one, which says goodbye, does
 * not), and the connection can be closed.
 */
final class LinkHttpClient extends HttpClient {
  /** Net4j's poller tries again at once, and forever, whatever happens. */
  private static final long LOST_PAUSE_MS = 1_000;

  /** How long an idle connection is kept; well below the 30 s after which Jetty closes it. */
  private static final long KEEP_MS = 10_000;

  // a reference, or the level would be collected with the logger; failures are told by LinkState
  private static final Logger LOG = Logger.getLogger("org.apache.commons.httpclient");

  static {
    LOG.setLevel(Level.OFF);
  }

  private final Endpoint endpoint;
  private final LinkState state;
  private final HttpTransport transport;
  private final ReentrantLock request = new ReentrantLock();
  private volatile boolean connected;
  private volatile Thread closer;

  LinkHttpClient(Endpoint endpoint, LinkState state, HttpTransport transport) {
    super(new Connections());
    this.endpoint = endpoint;
    this.state = state;
    this.transport = transport;
    Protocol protocol = new Protocol("http", new InterruptibleSockets(), 80);
    getHostConfiguration().setHost(endpoint.host(), endpoint.port(), protocol);
    HttpConnectionManagerParams params = getHttpConnectionManager().getParams();
    params.setConnectionTimeout((int) Link.CONNECT_MILLIS);
    // looking whether a connection is stale takes a millisecond of every request
    params.setStaleCheckingEnabled(transport == HttpTransport.STOCK);
  }

  /** A request; who executes it must release it. */
  PostMethod post() {
    PostMethod post =
        new PostMethod(endpoint.uri().getRawPath()) {
          @Override
          public void releaseConnection() {
            super.releaseConnection();
            if (request.isHeldByCurrentThread()) {
              request.unlock();
            }
          }
        };
    if (transport == HttpTransport.LONG_POLL) {
      post.setRequestHeader(HttpTransport.HEADER, transport.text());
      // a repeated request would repeat its operations
      post.getParams()
          .setParameter(
              HttpMethodParams.RETRY_HANDLER, new DefaultHttpMethodRetryHandler(0, false));
    }
    return post;
  }

  @Override
  public int executeMethod(HttpMethod method) throws IOException {
    if (Thread.currentThread() == closer) {
      return goodbye(method);
    }
    if (state.isLost()) {
      pause();
      throw new IOException("the connection is lost");
    }
    try {
      int status = exchange(method);
      connected = true;
      return status;
    } catch (IOException e) {
      lose(e);
      throw e;
    }
  }

  private int exchange(HttpMethod method) throws IOException {
    try {
      request.lockInterruptibly();
    } catch (InterruptedException e) {
      throw interrupted();
    }
    if (transport == HttpTransport.LONG_POLL && connected) {
      getHttpConnectionManager().closeIdleConnections(KEEP_MS);
    }
    int status = super.executeMethod(method);
    if (status != HttpStatus.SC_OK) {
      throw new IOException("HTTP " + status + " " + explanation(method));
    }
    return status;
  }

  private static String explanation(HttpMethod method) throws IOException {
    Header type = method.getResponseHeader("Content-Type");
    boolean plain = type != null && type.getValue().startsWith("text/plain");
    return plain ? method.getResponseBodyAsString().strip() : method.getStatusText();
  }

  /** Failing, it must not keep Net4j's connector from ending its thread. */
  private int goodbye(HttpMethod method) {
    try {
      return connected ? exchange(method) : 0;
    } catch (IOException e) {
      return 0;
    } finally {
      Thread.interrupted(); // the interrupt has had its effect; Net4j would not end its thread
    }
  }

  private void pause() throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(LOST_PAUSE_MS);
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private static IOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("interrupted");
  }

  /** Notes that a request failed, and with it the link. */
  void lose(Exception cause) {
    if (!state.isLost() && closer == null) {
      boolean cut = cause instanceof EOFException;
      state.failed(cut ? new IOException("the server's answer was cut short") : cause);
      state.lose();
    }
  }

  /** From now on the calling thread's requests may fail unnoticed. */
  void beginClosing() {
    closer = Thread.currentThread();
  }

  /** Closes the connection, which also ends a request under way. */
  void close() {
    ((Connections) getHttpConnectionManager()).close();
  }

  private static final class Connections extends SimpleHttpConnectionManager {
    void close() {
      HttpConnection connection = httpConnection;
      if (connection != null) {
        connection.close();
      }
    }
  }

  /** Sockets of channels: interrupting a thread that reads closes the channel. */
  private static final class InterruptibleSockets implements ProtocolSocketFactory {
    @Override
    public Socket createSocket(
        String host, int port, InetAddress local, int localPort, HttpConnectionParams params)
        throws IOException {
      SocketChannel channel = SocketChannel.open();
      try {
        channel.socket().connect(new InetSocketAddress(host, port), params.getConnectionTimeout());
        return channel.socket();
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort)
        throws IOException {
      return createSocket(host, port, local, localPort, new HttpConnectionParams());
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      return createSocket(host, port, null, 0);
    }
  }
}
