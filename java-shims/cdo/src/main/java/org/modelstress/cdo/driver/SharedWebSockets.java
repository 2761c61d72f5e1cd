package org.modelstress.cdo.driver;

import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.http.HttpClientTransportOverHTTP;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.util.HttpCookieStore;
import org.eclipse.jetty.util.log.Log;
import org.eclipse.jetty.util.log.StdErrLog;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.eclipse.jetty.websocket.client.WebSocketClient;
import org.modelstress.cdo.websocket.WebSocketConnector;
import org.modelstress.cdo.websocket.WebSocketEndPoint;

/**
 * Jetty's WebSocket client, which has threads of its own: one for all sessions of a driver, made
 * when the first of them needs it.
 */
final class SharedWebSockets implements AutoCloseable {
  /** Threads of Jetty; they read frames and hand them to Net4j's, so a few are enough. */
  private static final int THREADS = 8;

  private static final long STOP_MILLIS = 300;

  static {
    // warnings and errors on stderr; stdout is for the controller alone
    StdErrLog log = new StdErrLog();
    log.setLevel(StdErrLog.LEVEL_WARN);
    Log.setLog(log);
  }

  private WebSocketClient client;
  private boolean closed;

  /** The client, started. */
  synchronized WebSocketClient client() throws Exception { // which is what start declares
    if (closed) {
      throw new IllegalStateException("the driver is closed");
    }
    if (client == null) {
      WebSocketClient made = new WebSocketClient(http());
      made.setStopAtShutdown(false);
      // a query may take minutes in which nothing is sent; its own deadline ends it
      made.setMaxIdleTimeout(0);
      made.getPolicy().setInputBufferSize(WebSocketConnector.READ_BYTES);
      made.start();
      client = made;
    }
    return client;
  }

  private static HttpClient http() {
    QueuedThreadPool threads = new QueuedThreadPool(THREADS, THREADS);
    threads.setName("cdo-websocket");
    threads.setDaemon(true);
    threads.setStopTimeout(STOP_MILLIS);
    HttpClient http = new HttpClient(new Transport(), null);
    http.setExecutor(threads);
    http.setScheduler(new ScheduledExecutorScheduler("cdo-websocket-scheduler", true));
    http.setConnectTimeout(Link.CONNECT_MILLIS);
    http.setMaxConnectionsPerDestination(Short.MAX_VALUE);
    http.setFollowRedirects(false);
    http.setCookieStore(new HttpCookieStore.Empty());
    return http;
  }

  private static final class Transport extends HttpClientTransportOverHTTP {
    @Override
    protected SelectorManager newSelectorManager(HttpClient client) {
      return new ClientSelectorManager(client, getSelectors()) {
        @Override
        protected EndPoint newEndPoint(
            SelectableChannel channel, ManagedSelector selector, SelectionKey key) {
          WebSocketEndPoint endPoint =
              new WebSocketEndPoint(channel, selector, key, getScheduler());
          endPoint.setIdleTimeout(client.getIdleTimeout());
          return endPoint;
        }
      };
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (client != null) {
      try {
        client.stop();
      } catch (Exception e) { // which is what stop declares; its threads are daemons
        System.err.println("Jetty's WebSocket client did not stop cleanly: " + e.getMessage());
      }
    }
  }
}
