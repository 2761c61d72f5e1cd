package org.modelstress.thrift.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TProcessor;
import org.modelstress.harness.server.Ports;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ToolServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hawk's API over the protocols that a configuration asks for. */
public final class Endpoints implements ToolServer.Running {
  /** Nesting of a request; Hawk's own requests have about five levels. */
  private static final int DEEPEST = 32;

  /** Seconds. */
  private static final int SHRINK_EVERY = 10;

  private static final Logger LOG = LoggerFactory.getLogger(Endpoints.class);

  private final Service service;
  private final Map<String, String> addresses = new LinkedHashMap<>();
  private final ScheduledThreadPoolExecutor housekeeping =
      new ScheduledThreadPoolExecutor(1, task -> daemon(task, "thrift-housekeeping"));
  private long ticks;
  private TcpServer tcp;
  private HttpServer http;

  /** What is served. */
  public interface Service extends AutoCloseable {
    /** Answers requests, in any number of threads. */
    TProcessor processor();

    /** Drops what has become too old; called every second. */
    void tidy();

    /** Cancels what runs, and refuses what begins later. */
    @Override
    void close();
  }

  private Endpoints(Service service) {
    this.service = service;
  }

  /**
   * Begins to answer.
   *
   * @param service closed with the endpoints, before their connections
   * @throws ServerException if a protocol is unknown (2) or a port is taken (5)
   */
  public static Endpoints start(Service service, ServerConfig config, ApiOptions options)
      throws ServerException {
    Endpoints endpoints = new Endpoints(service);
    try {
      endpoints.listen(service.processor(), config, options);
    } catch (ServerException | RuntimeException e) {
      endpoints.close();
      throw e;
    }
    return endpoints;
  }

  private void listen(TProcessor processor, ServerConfig config, ApiOptions options)
      throws ServerException {
    TConfiguration limits = limits(options);
    RequestMemory memory = new RequestMemory(options);
    for (Map.Entry<String, Integer> wanted : config.ports().entrySet()) {
      InetSocketAddress address = new InetSocketAddress(config.bind(), wanted.getValue());
      String host = config.bind();
      switch (wanted.getKey()) {
        case "tcp" -> {
          listenTcp(processor, address, options, limits, memory);
          addresses.put("tcp", "tcp://" + host + ":" + tcp.port());
        }
        case "http" -> {
          listenHttp(processor, address, options, limits, memory);
          String path = ThriftHandler.ROOT + WireProtocol.TUPLE.path();
          addresses.put("http", "http://" + host + ":" + http.port() + path);
        }
        default ->
            throw new ServerException(
                ServerException.Exit.CONFIG,
                "ports: "
                    + config.tool()
                    + " does not serve "
                    + wanted.getKey()
                    + "; it serves tcp and http",
                null);
      }
    }
    housekeeping.scheduleWithFixedDelay(this::tidy, 1, 1, TimeUnit.SECONDS);
  }

  /** What libthrift refuses to read. */
  static TConfiguration limits(ApiOptions options) {
    return TConfiguration.custom()
        .setMaxMessageSize(options.maxRequestBytes())
        .setMaxFrameSize(options.maxRequestBytes())
        .setRecursionLimit(DEEPEST)
        .build();
  }

  private void listenTcp(
      TProcessor processor,
      InetSocketAddress address,
      ApiOptions options,
      TConfiguration limits,
      RequestMemory memory)
      throws ServerException {
    try {
      tcp = new TcpServer(processor, address, options, limits, memory);
    } catch (IOException | RuntimeException e) {
      throw Ports.busy(address.getHostString(), address.getPort(), e);
    }
  }

  private void listenHttp(
      TProcessor processor,
      InetSocketAddress address,
      ApiOptions options,
      TConfiguration limits,
      RequestMemory memory)
      throws ServerException {
    try {
      http = new HttpServer(processor, address, options, limits, memory);
    } catch (Exception e) {
      if (Ports.isBusy(e) || e instanceof IOException) {
        throw Ports.busy(address.getHostString(), address.getPort(), e);
      }
      throw new ServerException(
          ServerException.Exit.INTERNAL, "the HTTP server cannot start: " + e.getMessage(), e);
    }
  }

  /** What fails once is tried again: a task that throws would not be called any more. */
  private void tidy() {
    try {
      service.tidy();
      if (tcp != null) {
        tcp.closeIdle();
      }
      if (http != null) {
        http.closeSlow();
      }
      if (++ticks % SHRINK_EVERY == 0 && tcp != null) {
        tcp.shrink();
      }
    } catch (RuntimeException e) {
      LOG.warn("housekeeping failed", e);
    }
  }

  @Override
  public Map<String, String> endpoints() {
    return addresses;
  }

  /** Cancels what runs, closes every connection and ends every thread. */
  @Override
  public void close() {
    housekeeping.shutdownNow();
    service.close();
    if (tcp != null) {
      tcp.close();
    }
    if (http != null) {
      http.close();
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
