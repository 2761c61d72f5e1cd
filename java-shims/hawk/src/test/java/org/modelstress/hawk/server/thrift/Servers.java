package org.modelstress.hawk.server.thrift;

import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TProcessor;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.hawk.api.Hawk;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.hawk.driver.HawkDriver;

/** Both servers in front of a query function, without an index, for the tests of this package. */
public final class Servers implements AutoCloseable {
  /** Answers a query. */
  @FunctionalInterface
  public interface Answer {
    QueryResult to(String query, HawkQueryOptions options) throws Exception;
  }

  static final InetSocketAddress ANY_PORT = new InetSocketAddress("127.0.0.1", 0);

  final TcpServer tcp;
  final HttpServer http;
  private final Map<String, Endpoint> endpoints = new LinkedHashMap<>();

  private Servers(TProcessor processor, ApiOptions options) throws Exception {
    TConfiguration limits = Endpoints.limits(options);
    tcp = new TcpServer(processor, ANY_PORT, options, limits);
    http = new HttpServer(processor, ANY_PORT, options, limits);
    endpoints.put("tcp", new Endpoint(URI.create("tcp://127.0.0.1:" + tcp.port())));
    for (WireProtocol protocol : WireProtocol.values()) {
      endpoints.put(
          protocol.path(),
          new Endpoint(
              URI.create("http://127.0.0.1:" + http.port() + "/thrift/hawk/" + protocol.path())));
    }
  }

  /** Servers whose other methods fail. */
  public static Servers answering(Answer answer, Map<String, Object> options) throws Exception {
    Hawk.Iface service =
        (Hawk.Iface)
            Proxy.newProxyInstance(
                Servers.class.getClassLoader(),
                new Class<?>[] {Hawk.Iface.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("query")) {
                    return answer.to((String) arguments[1], (HawkQueryOptions) arguments[3]);
                  }
                  throw new TApplicationException("not here: " + method.getName());
                });
    return new Servers(new Hawk.Processor<>(service), ApiOptions.of(options));
  }

  /** {@code tcp}, or an HTTP protocol's name, to endpoint. */
  public Map<String, Endpoint> endpoints() {
    return endpoints;
  }

  /** Runs one query on a new connection. */
  public static Outcome query(Endpoint endpoint, String text) throws DriverException {
    try (HawkDriver driver = new HawkDriver();
        Driver.Session session = driver.open(endpoint, new Options(20_000, Map.of()))) {
      return session.execute(new Operation("test", text, Map.of(), 0));
    }
  }

  @Override
  public void close() {
    tcp.close();
    http.close();
  }
}
