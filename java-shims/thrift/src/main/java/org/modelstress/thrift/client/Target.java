package org.modelstress.thrift.client;

import java.net.InetSocketAddress;
import java.util.Locale;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Options;
import org.modelstress.thrift.server.WireProtocol;

/**
 * Where and how requests are sent.
 *
 * @param path of the HTTP request, null over TCP
 */
record Target(InetSocketAddress address, String host, String path, WireProtocol protocol) {
  private static final String DEFAULT_PATH = "/thrift/hawk/";

  static Target of(Endpoint endpoint, Options options) throws DriverException {
    String scheme = endpoint.uri().getScheme();
    String host = endpoint.host();
    int port = endpoint.port() > 0 ? endpoint.port() : "http".equals(scheme) ? 80 : 0;
    if (host == null || port == 0 || !("tcp".equals(scheme) || "http".equals(scheme))) {
      throw new DriverException(
          "endpoint "
              + endpoint.uri()
              + " is neither of the form tcp://host:port nor http://host:port/path",
          null);
    }
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (scheme.equals("tcp")) {
      return new Target(address, host, null, WireProtocol.TUPLE);
    }
    return http(address, host + ":" + port, endpoint.uri().getRawPath(), protocol(options));
  }

  private static Target http(
      InetSocketAddress address, String host, String given, WireProtocol chosen) {
    String path = given == null || given.isEmpty() || given.equals("/") ? DEFAULT_PATH : given;
    WireProtocol named = null;
    for (WireProtocol protocol : WireProtocol.values()) {
      if (path.endsWith("/" + protocol.path())) {
        named = protocol;
      }
    }
    WireProtocol protocol = chosen != null ? chosen : named != null ? named : WireProtocol.TUPLE;
    if (named != null) {
      path = path.substring(0, path.length() - named.path().length()) + protocol.path();
    } else if (path.equals(DEFAULT_PATH)) {
      path += protocol.path();
    }
    return new Target(address, host, path, protocol);
  }

  private static WireProtocol protocol(Options options) throws DriverException {
    String name = options.text("thrift_protocol", "");
    if (name.isEmpty()) {
      return null;
    }
    try {
      return WireProtocol.valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new DriverException(
          "option thrift_protocol is " + name + ", not tuple, compact, binary or json", null);
    }
  }
}
