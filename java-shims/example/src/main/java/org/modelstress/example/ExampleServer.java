package org.modelstress.example;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.harness.server.Ports;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelSource;
import org.modelstress.models.QueryException;
import org.modelstress.models.eol.EolQuery;

/**
 * The tool under test: loads a model into memory and answers EOL queries over HTTP. A query reads
 * the model and nothing else ({@link EolQuery#parseStrangers}); its memory is not bounded.
 */
public final class ExampleServer implements ToolServer {
  private static final String PROTOCOL = "http";
  private static final int THREADS = 64;
  private static final int BACKLOG = 1024;
  private static final int MOST_BYTES = 1 << 16;

  /** Until a request has come whole, and until it is answered and its answer fetched. */
  private static final String REQUEST_S = "60";

  private static final String ANSWER_S = "1800";

  /** Of a query; longer than every cell's timeout. */
  private static final long QUERY_S = 900;

  @Override
  public void load(ServerConfig config, Progress progress) throws ServerException {
    progress.at(0, 1);
    ExampleStore.write(config.requiredModel(), config.requiredStore());
    progress.at(1, 1);
  }

  @Override
  public Running serve(ServerConfig config) throws ServerException {
    if (!config.ports().keySet().equals(java.util.Set.of(PROTOCOL))) {
      throw new ServerException(Exit.CONFIG, "ports: only " + PROTOCOL + " is served here", null);
    }
    Path copy = config.work().resolve("store");
    ModelSource model = ExampleStore.open(config.requiredStore(), copy, config.resume());
    return listen(config.bind(), config.ports().get(PROTOCOL), model);
  }

  private static Running listen(String bind, int port, ModelSource model) throws ServerException {
    // else Nagle's algorithm and delayed acknowledgements cost a kept connection 40 ms per answer
    System.setProperty("sun.net.httpserver.nodelay", "true");
    // else who sends, or reads, nothing more keeps a thread for ever
    System.setProperty("sun.net.httpserver.maxReqTime", REQUEST_S);
    System.setProperty("sun.net.httpserver.maxRspTime", ANSWER_S);
    HttpServer http;
    try {
      http = HttpServer.create(new InetSocketAddress(bind, port), BACKLOG);
    } catch (IOException e) {
      throw Ports.busy(bind, port, e);
    }
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    ElementIndex elements = new ElementIndex(model.roots());
    http.createContext("/query", exchange -> serve(exchange, model.root(), elements));
    http.setExecutor(pool);
    http.start();
    String address = PROTOCOL + "://" + bind + ":" + http.getAddress().getPort();
    return new Running() {
      @Override
      public Map<String, String> endpoints() {
        return Map.of(PROTOCOL, address);
      }

      @Override
      public void close() {
        http.stop(0);
        pool.shutdownNow();
      }
    };
  }

  private record Answer(int status, String body) {}

  private static void serve(HttpExchange exchange, EObject root, ElementIndex elements)
      throws IOException {
    try (exchange) {
      Answer answer = answer(exchange, root, elements);
      byte[] bytes = answer.body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(answer.status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private static Answer answer(HttpExchange exchange, EObject root, ElementIndex elements)
      throws IOException {
    int refused = OwnRequests.refusal(exchange);
    if (refused != 0) {
      return new Answer(refused, "a query is a POST of " + OwnRequests.TYPE);
    }
    byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
    if (body.length > MOST_BYTES) {
      return new Answer(413, "a query has at most " + MOST_BYTES + " bytes");
    }
    String text = new String(body, StandardCharsets.UTF_8);
    return evaluate(text, exchange.getRequestURI().getQuery(), root, elements);
  }

  private static Answer evaluate(
      String text, String parameter, EObject root, ElementIndex elements) {
    if (parameter == null || !parameter.startsWith("tuple=")) {
      return new Answer(400, "the request has no tuple=…");
    }
    List<String> tuple = List.of(parameter.substring("tuple=".length()).split(","));
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(QUERY_S);
    try {
      String ids =
          EolQuery.parseStrangers(text, () -> System.nanoTime() - end > 0)
              .evaluate(root, tuple)
              .stream()
              .map(element -> Long.toString(elements.indexOf(element)))
              .collect(Collectors.joining("\n"));
      return new Answer(200, ids);
    } catch (QueryException e) {
      return new Answer(400, e.getMessage());
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      return new Answer(500, "the server failed with " + e);
    }
  }
}
