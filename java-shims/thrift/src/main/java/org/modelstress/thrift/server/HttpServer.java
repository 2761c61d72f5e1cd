package org.modelstress.thrift.server;

import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TProcessor;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.Scheduler;

/** Answers Thrift over HTTP at {@code /thrift/hawk/} and a protocol's name, by Jetty. */
final class HttpServer implements AutoCloseable {
  private static final int BACKLOG = 1024;
  private static final long STOP_MS = 1_000;
  private static final int IDLE_THREAD_MS = 10_000;

  private final Server server;
  private final ServerConnector connector;
  private final ThriftHandler handler;

  /**
   * Listens and answers.
   *
   * @throws Exception if the address cannot be bound; Jetty does not say more precisely
   */
  HttpServer(
      TProcessor processor,
      InetSocketAddress address,
      ApiOptions options,
      TConfiguration limits,
      RequestMemory memory)
      throws Exception {
    // one more for the selector, which also accepts
    QueuedThreadPool pool = new QueuedThreadPool(options.maxThreads() + 1);
    pool.setReservedThreads(0);
    pool.setName("thrift-http");
    pool.setStopTimeout(STOP_MS);
    pool.setIdleTimeout(IDLE_THREAD_MS);
    pool.setMaxEvictCount(options.maxThreads());
    server = new Server(pool);
    server.setStopTimeout(0); // kept connections are closed, not waited for
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendDateHeader(false);
    connector = new Connector(server, new HttpConnectionFactory(http));
    connector.setHost(address.getHostString());
    connector.setPort(address.getPort());
    connector.setAcceptQueueSize(BACKLOG);
    connector.setAcceptedTcpNoDelay(true);
    connector.setIdleTimeout(options.idleTimeoutMs());
    server.addConnector(connector);
    Gatekeeper gatekeeper = new Gatekeeper(address.getHostString(), options.hostNames());
    handler = new ThriftHandler(processor, options, limits, memory, gatekeeper);
    server.setHandler(handler);
    try {
      server.start();
    } catch (Exception e) {
      server.stop();
      throw e;
    }
  }

  /** Closes connections whose request has not come whole in time; to be called regularly. */
  void closeSlow() {
    handler.closeSlow();
  }

  int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the HTTP server could not be stopped: " + e, e);
    }
  }

  /**
   * One thread accepts and selects, and does itself what beginning and ending a connection takes,
   * which is quicker than telling another thread to.
   */
  private static final class Connector extends ServerConnector {
    Connector(Server server, HttpConnectionFactory http) {
      super(server, null, null, null, 0, 1, http);
    }

    @Override
    protected SocketChannelEndPoint newEndPoint(
        SocketChannel channel, ManagedSelector selector, SelectionKey key) {
      SocketChannelEndPoint endPoint =
          new WatchedEndPoint(channel, selector, key, getScheduler(), getExecutor());
      endPoint.setIdleTimeout(getIdleTimeout());
      return endPoint;
    }

    @Override
    protected SelectorManager newSelectorManager(
        Executor executor, Scheduler scheduler, int selectors) {
      return new ServerConnectorManager(executor, scheduler, selectors) {
        @Override
        protected void execute(Runnable task) {
          if (isStarted()) {
            task.run();
          } else {
            super.execute(task); // the selector's own loop
          }
        }
      };
    }
  }
}
