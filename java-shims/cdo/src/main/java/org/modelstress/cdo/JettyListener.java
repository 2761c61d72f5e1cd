package org.modelstress.cdo;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import javax.servlet.Servlet;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.eclipse.jetty.util.log.Log;
import org.eclipse.jetty.util.log.StdErrLog;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.modelstress.cdo.websocket.WebSocketEndPoint;
import org.modelstress.harness.server.Ports;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;

/** A Jetty of its own with one servlet, for a transport of Net4j that runs in a servlet. */
final class JettyListener implements Listener {
  /** Closing must leave the rest of the server some of its second. */
  private static final long STOP_MS = 300;

  private static final int IDLE_MS = 1_000;

  static {
    // warnings and errors on stderr; stdout is for the READY line alone
    StdErrLog log = new StdErrLog();
    log.setLevel(StdErrLog.LEVEL_WARN);
    log.setHideStacks(true); // one line for each wrong request
    Log.setLog(log);
  }

  private final Server jetty;
  private final String endpoint;

  private JettyListener(Server jetty, String endpoint) {
    this.jetty = jetty;
    this.endpoint = endpoint;
  }

  /**
   * Listens on an address; port 0 is any free one.
   *
   * @param scheme of the endpoint, such as {@code http}
   * @param path where the servlet answers, such as {@code /net4j}
   * @param maxThreads most threads of Jetty, its acceptor and selectors included
   * @throws ServerException PORT if the address is in use
   */
  static JettyListener open(
      String scheme, String bind, int port, String path, Servlet servlet, int maxThreads)
      throws ServerException {
    QueuedThreadPool threads = new QueuedThreadPool(maxThreads);
    threads.setName("jetty-" + scheme);
    threads.setDaemon(true);
    // one idle thread ends each time; with Jetty's minute a burst's threads stay for hours
    threads.setIdleTimeout(IDLE_MS);
    threads.setStopTimeout(STOP_MS);
    Server jetty = new Server(threads);
    jetty.setStopTimeout(STOP_MS);
    ServerConnector connector =
        new ServerConnector(jetty) {
          @Override
          protected WebSocketEndPoint newEndPoint(
              SocketChannel channel, ManagedSelector selector, SelectionKey key) {
            WebSocketEndPoint endPoint =
                new WebSocketEndPoint(channel, selector, key, getScheduler());
            endPoint.setIdleTimeout(getIdleTimeout());
            return endPoint;
          }
        };
    connector.setHost(bind);
    connector.setPort(port);
    jetty.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler();
    context.addServlet(new ServletHolder(servlet), path);
    OwnRequests own = new OwnRequests(scheme.equals("ws") ? "GET" : "POST", bind);
    own.setHandler(context);
    jetty.setHandler(own);
    ErrorHandler errors = new ErrorHandler();
    errors.setShowStacks(false);
    jetty.setErrorHandler(errors);
    start(jetty, bind, port);
    return new JettyListener(jetty, scheme + "://" + bind + ":" + connector.getLocalPort() + path);
  }

  private static void start(Server jetty, String bind, int port) throws ServerException {
    try {
      jetty.start();
    } catch (Exception e) { // which is what start declares
      stop(jetty);
      if (e instanceof IOException) {
        throw Ports.busy(bind, port, e);
      }
      throw new ServerException(
          Exit.INTERNAL, "Jetty does not start on " + bind + ":" + port + ": " + e.getMessage(), e);
    }
  }

  @Override
  public String endpoint() {
    return endpoint;
  }

  @Override
  public void close() {
    stop(jetty);
  }

  private static void stop(Server jetty) {
    try {
      jetty.stop();
    } catch (Exception e) { // which is what stop declares; its threads are daemons
      System.err.println("Jetty did not stop cleanly: " + e.getMessage());
    }
  }
}
