package org.modelstress.thrift.server;

import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TException;
import org.apache.thrift.TProcessor;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.hawk.api.Hawk;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.QueryReport;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.QueryCancelledException;
import org.modelstress.thrift.client.AnyDriver;

/** Both servers in front of a query function, without anything behind it, for tests. */
public final class Servers implements AutoCloseable {
  private static final ThreadLocal<Cancellation> CANCELLATION =
      ThreadLocal.withInitial(Cancellation::new);

  /** Answers a query, synchronous or not. */
  @FunctionalInterface
  public interface Answer {
    QueryResult to(String query, HawkQueryOptions options) throws Exception;
  }

  static final InetSocketAddress ANY_PORT = new InetSocketAddress("127.0.0.1", 0);

  final TcpServer tcp;
  final HttpServer http;
  private final Map<String, Endpoint> endpoints = new LinkedHashMap<>();

  private final AsyncQueries async;
  private final QueriesUnderWay underWay;
  private final Set<Cancellation> cancellations = ConcurrentHashMap.newKeySet();
  private final Map<String, Integer> calls = new ConcurrentHashMap<>();
  private volatile String lastLanguage;

  private Servers(Answer answer, ApiOptions options) throws Exception {
    async = new AsyncQueries(options);
    underWay = new QueriesUnderWay(options);
    TProcessor processor = new ApiProcessor(service(answer));
    TConfiguration limits = Endpoints.limits(options);
    RequestMemory memory = new RequestMemory(options);
    tcp = new TcpServer(processor, ANY_PORT, options, limits, memory);
    http = new HttpServer(processor, ANY_PORT, options, limits, memory);
    endpoints.put("tcp", new Endpoint(URI.create("tcp://127.0.0.1:" + tcp.port())));
    for (WireProtocol protocol : WireProtocol.values()) {
      endpoints.put(
          protocol.path(),
          new Endpoint(
              URI.create("http://127.0.0.1:" + http.port() + "/thrift/hawk/" + protocol.path())));
    }
  }

  /** Servers whose methods other than those for queries fail. */
  public static Servers answering(Answer answer, Map<String, Object> options) throws Exception {
    return new Servers(answer, ApiOptions.of(options));
  }

  private Hawk.Iface service(Answer answer) {
    return (Hawk.Iface)
        Proxy.newProxyInstance(
            Servers.class.getClassLoader(),
            new Class<?>[] {Hawk.Iface.class},
            (proxy, method, arguments) -> {
              calls.merge(method.getName(), 1, Integer::sum);
              switch (method.getName()) {
                case "query":
                  lastLanguage = (String) arguments[2];
                  return answer(answer, arguments);
                case "asyncQuery":
                  return async.submit(
                      cancellation -> {
                        cancellations.add(cancellation);
                        return reportAsync(answer, arguments, cancellation);
                      });
                case "fetchAsyncQueryResults":
                  return async.fetch((String) arguments[0]);
                case "cancelAsyncQuery":
                  async.cancel((String) arguments[0]);
                  return null;
                default:
                  throw new TApplicationException("not here: " + method.getName());
              }
            });
  }

  private QueryResult answer(Answer answer, Object[] arguments) throws Exception {
    Cancellation cancellation = new Cancellation();
    try {
      return underWay.run(cancellation, () -> report(answer, arguments, cancellation).getResult());
    } finally {
      CANCELLATION.remove();
    }
  }

  private static QueryReport reportAsync(
      Answer answer, Object[] arguments, Cancellation cancellation) throws TException {
    try {
      return report(answer, arguments, cancellation);
    } catch (QueryCancelledException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Does what the programs do every second. */
  public void tidy() {
    underWay.tidy();
    tcp.closeIdle();
    http.closeSlow();
  }

  private static QueryReport report(Answer answer, Object[] arguments, Cancellation cancellation)
      throws TException, QueryCancelledException {
    CANCELLATION.set(cancellation);
    try {
      QueryResult result = answer.to((String) arguments[1], (HawkQueryOptions) arguments[3]);
      return new QueryReport(result, 0, cancellation.isCancelled());
    } catch (TException | QueryCancelledException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether the query that this thread answers was cancelled. */
  public static boolean isCancelled() {
    return CANCELLATION.get().isCancelled();
  }

  /** Asynchronous queries that have begun to run, so far. */
  public int begun() {
    return cancellations.size();
  }

  /** Cancels every asynchronous query, as another client could. */
  public void cancelAll() {
    cancellations.forEach(Cancellation::cancel);
  }

  /** How often a method of the API was called. */
  public int calls(String method) {
    return calls.getOrDefault(method, 0);
  }

  /** Language of the query that was answered last. */
  public String lastLanguage() {
    return lastLanguage;
  }

  /** Asynchronous queries that run, and those whose result waits to be fetched. */
  public int asynchronous() {
    return async.running() + async.size();
  }

  /** {@code tcp}, or an HTTP protocol's name, to endpoint. */
  public Map<String, Endpoint> endpoints() {
    return endpoints;
  }

  /** Runs one query on a new connection. */
  public static Outcome query(Endpoint endpoint, String text) throws DriverException {
    try (AnyDriver driver = new AnyDriver();
        Driver.Session session = driver.open(endpoint, new Options(20_000, Map.of()))) {
      return session.execute(new Operation("test", text, Map.of(), 0));
    }
  }

  @Override
  public void close() {
    async.close();
    tcp.close();
    http.close();
  }
}
