package org.modelstress.metadata.web;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.modelstress.metadata.service.MetadataService;

/** The web API of a service: HTTP/1.1 and JSON, as {@code openapi.yaml} describes it. */
public final class WebServer implements AutoCloseable {
  private static final int THREADS = 200;
  private static final int CONNECTIONS_WAITING = 256;
  private static final long IDLE_MILLIS = 30_000;
  private static final int HEADER_BYTES = 8_192;
  private static final long END_MILLIS = 2_000;

  private final Server server;
  private final ServerConnector connector;
  private final String host;

  private WebServer(Server server, ServerConnector connector, String host) {
    this.server = server;
    this.connector = connector;
    this.host = host;
  }

  /**
   * Starts to answer.
   *
   * @param service not closed with the server
   * @param port 0: any that is free
   * @throws Exception with a {@link java.net.BindException} as a cause where the port is taken
   */
  public static WebServer start(MetadataService service, String bind, int port) throws Exception {
    QueuedThreadPool threads = new QueuedThreadPool(THREADS);
    threads.setName("web");
    threads.setDaemon(true);
    Server server = new Server(threads);
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendDateHeader(false);
    http.setRequestHeaderSize(HEADER_BYTES);
    ServerConnector connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    connector.setHost(bind);
    connector.setPort(port);
    connector.setIdleTimeout(IDLE_MILLIS);
    connector.setAcceptQueueSize(CONNECTIONS_WAITING);
    server.addConnector(connector);
    server.setHandler(new WebHandler(service));
    server.setStopTimeout(END_MILLIS);
    try {
      server.start();
    } catch (Exception e) {
      server.stop();
      throw e;
    }
    return new WebServer(server, connector, bind);
  }

  /** Where it answers. */
  public Map<String, String> endpoints() {
    String name = new InetSocketAddress(host, 0).getAddress().getHostAddress();
    return Map.of("http", URI.create("http://" + name + ":" + connector.getLocalPort()).toString());
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      System.err.println("the web API cannot be stopped: " + e.getMessage());
    }
  }
}
