package org.modelstress.cdo;

import java.util.HashMap;
import java.util.Map;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Options;

/** The ways between driver and server, each in the form that tests wait least for. */
enum Transport {
  TCP("tcp", "tcp", "", 1_000, Map.of("tcp_nodelay", true), Map.of()),
  WEBSOCKET("websocket", "ws", "/net4j", 1_000, Map.of("tcp_nodelay", true), Map.of()),
  // it takes some polls to open a session, and Net4j polls every five seconds
  HTTP(
      "http",
      "http",
      "/net4j",
      5_000,
      Map.of("http_transport", "stock"),
      Map.of("poll_interval_ms", 100)),
  LONG_POLL("http", "http", "/net4j", 1_000, Map.of("http_transport", "long-poll"), Map.of());

  final String protocol;

  /** A limit within which a session can be opened, and which a test can wait for. */
  final long limitMillis;

  private final String scheme;
  private final String path;

  /** Options that server and driver have in common. */
  private final Map<String, Object> both;

  private final Map<String, Object> drivers;

  Transport(
      String protocol,
      String scheme,
      String path,
      long limitMillis,
      Map<String, Object> both,
      Map<String, Object> drivers) {
    this.protocol = protocol;
    this.scheme = scheme;
    this.path = path;
    this.limitMillis = limitMillis;
    this.both = both;
    this.drivers = drivers;
  }

  /** Where a server of this kind would listen. */
  Endpoint endpoint(String host, int port) {
    return TrainFixture.endpoint(scheme + "://" + host + ":" + port + path);
  }

  /** Server options: the transport's and these. */
  Map<String, Object> server(Map<String, Object> more) {
    Map<String, Object> options = new HashMap<>(both);
    options.putAll(more);
    return options;
  }

  /** Driver options: the transport's and these. */
  Options driver(long timeoutMillis, Map<String, Object> more) {
    Map<String, Object> options = server(drivers);
    options.putAll(more);
    return TrainFixture.options(timeoutMillis, options);
  }
}
