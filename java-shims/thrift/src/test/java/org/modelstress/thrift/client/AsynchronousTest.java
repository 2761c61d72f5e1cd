package org.modelstress.thrift.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.InvalidQuery;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.thrift.server.Servers;

/** The drivers' option {@code querying: asynchronous} against servers without a store. */
@Timeout(120)
class AsynchronousTest {
  private static final long PATIENT_MS = 30_000;

  private static Options options(String querying, long timeoutMillis) {
    return new Options(timeoutMillis, Map.of("querying", querying));
  }

  private static Outcome execute(Endpoint endpoint, Options options, String text)
      throws DriverException {
    try (AnyDriver driver = new AnyDriver();
        Driver.Session session = driver.open(endpoint, options)) {
      return session.execute(new Operation("test", text, Map.of("tuple", List.of("b", "a")), 0));
    }
  }

  private static Outcome execute(Endpoint endpoint, String text) throws DriverException {
    return execute(endpoint, options("asynchronous", PATIENT_MS), text);
  }

  private static QueryResult element(String id) {
    return QueryResult.vModelElement(new ModelElement().setId(id));
  }

  /** Every form that an answer can have, and every way to fail. */
  private static QueryResult answer(String query, HawkQueryOptions options) throws Exception {
    assertTrue(options.isIncludeNodeIDs() && !options.isIncludeAttributes());
    return switch (query) {
      case "one" -> element("1");
      case "none" -> QueryResult.vList(List.of());
      case "lists" -> QueryResult.vList(List.of(QueryResult.vList(List.of(element("1")))));
      case "maps" ->
          QueryResult.vList(
              List.of(QueryResult.vMap(Map.of("a", element("1"), "b", element("2")))));
      case "many" -> QueryResult.vList(java.util.Collections.nCopies(50_000, element("1")));
      case "scalar" -> QueryResult.vInteger(1);
      case "invalid" -> throw new InvalidQuery("no such type");
      case "failed" -> throw new FailedQuery("division by zero");
      default -> throw new IllegalStateException("of its own");
    };
  }

  @Test
  void resultsAndFailuresAreThoseOfSynchronousQueries() throws Exception {
    try (Servers servers = Servers.answering(AsynchronousTest::answer, Map.of())) {
      for (Endpoint endpoint : servers.endpoints().values()) {
        for (String text :
            List.of("one", "none", "lists", "maps", "many", "scalar", "invalid", "failed")) {
          Outcome expected = execute(endpoint, options("synchronous", PATIENT_MS), text);
          Outcome outcome = execute(endpoint, text);
          assertEquals(expected.kind(), outcome.kind(), outcome.detail());
          assertEquals(expected.ids(), outcome.ids());
          assertEquals(expected.detail(), outcome.detail());
          // two requests and two answers instead of one
          assertTrue(outcome.bytesSent() > expected.bytesSent(), outcome + ", " + expected);
          assertTrue(outcome.bytesReceived() > 36 && expected.bytesReceived() > 0);
        }
        Outcome other = execute(endpoint, "other");
        assertEquals(Outcome.Kind.ERROR, other.kind());
        assertTrue(other.detail().contains("of its own"), other.detail());
      }
      int queries = servers.calls("query") + 5; // the ones of "other"
      assertEquals(queries, servers.calls("asyncQuery"));
      assertEquals(queries, servers.calls("fetchAsyncQueryResults"));
      assertEquals(0, servers.calls("cancelAsyncQuery"));
      await(() -> servers.asynchronous() == 0);
    }
  }

  @Test
  void aKeptSessionCountsTheBytesOfEachExecution() throws Exception {
    try (Servers servers = Servers.answering(AsynchronousTest::answer, Map.of());
        AnyDriver driver = new AnyDriver()) {
      for (Endpoint endpoint : servers.endpoints().values()) {
        try (Driver.Session session = driver.open(endpoint, options("asynchronous", PATIENT_MS))) {
          Operation operation = new Operation("test", "one", Map.of(), 0);
          Outcome first = session.execute(operation);
          Outcome second = session.execute(operation);
          assertEquals(first.ids(), second.ids());
          assertTrue(second.bytesSent() > 0 && second.bytesSent() <= first.bytesSent() + 8);
          assertTrue(second.bytesReceived() > 0);
        }
      }
    }
  }

  @Test
  void aQueryMayTakeLongerThanOneFetch() throws Exception {
    // a fetch must not end when an idle timer does (Jetty may then close the connection between
    // two requests): 2 s is far from every multiple of 1.4 s
    Map<String, Object> limits = Map.of("async_timeout_s", 2, "idle_timeout_ms", 1_400);
    try (Servers servers =
        Servers.answering(
            (query, options) -> {
              TimeUnit.MILLISECONDS.sleep(5_000);
              return element("1");
            },
            limits)) {
      for (String protocol : List.of("tcp", "tuple")) {
        Endpoint endpoint = servers.endpoints().get(protocol);
        int before = servers.calls("fetchAsyncQueryResults");
        Outcome outcome = execute(endpoint, "long");
        assertEquals(Outcome.Kind.OK, outcome.kind(), protocol + ": " + outcome.detail());
        assertTrue(servers.calls("fetchAsyncQueryResults") >= before + 2);
      }
      assertEquals(0, servers.calls("cancelAsyncQuery"));
    }
  }

  @Test
  void aTimeoutEndsTheQueryOnTheServer() throws Exception {
    CountDownLatch stopped = new CountDownLatch(1);
    try (Servers servers =
        Servers.answering(
            (query, options) -> {
              while (!Servers.isCancelled() && stopped.getCount() > 0) {
                TimeUnit.MILLISECONDS.sleep(5);
              }
              return element("1");
            },
            Map.of())) {
      for (Endpoint endpoint : servers.endpoints().values()) {
        Outcome outcome = execute(endpoint, options("asynchronous", 3_000), "endless");
        assertEquals(Outcome.Kind.TIMEOUT, outcome.kind(), outcome.detail());
        assertTrue(outcome.detail().contains("3000 ms"), outcome.detail());
        await(() -> servers.asynchronous() == 0);
      }
      assertEquals(servers.endpoints().size(), servers.calls("cancelAsyncQuery"));
    } finally {
      stopped.countDown();
    }
  }

  @Test
  void anInterruptEndsTheQueryOnTheServerToo() throws Exception {
    try (Servers servers =
            Servers.answering(
                (query, options) -> {
                  while (!Servers.isCancelled()) {
                    TimeUnit.MILLISECONDS.sleep(5);
                  }
                  return element("1");
                },
                Map.of());
        AnyDriver driver = new AnyDriver()) {
      for (String protocol : List.of("tcp", "tuple")) {
        Endpoint endpoint = servers.endpoints().get(protocol);
        int fetches = servers.calls("fetchAsyncQueryResults");
        Driver.Session session = driver.open(endpoint, options("asynchronous", PATIENT_MS));
        Thread execution =
            new Thread(() -> session.execute(new Operation("test", "endless", Map.of(), 0)));
        execution.start();
        // before that the driver does not know which query it would have to cancel
        await(() -> servers.calls("fetchAsyncQueryResults") > fetches);
        execution.interrupt();
        execution.join(PATIENT_MS);
        assertTrue(!execution.isAlive());
        await(() -> servers.asynchronous() == 0);
        session.close();
      }
    }
  }

  @Test
  void aQueryThatSomebodyElseCancelledIsAnError() throws Exception {
    try (Servers servers =
        Servers.answering(
            (query, options) -> {
              while (!Servers.isCancelled()) {
                TimeUnit.MILLISECONDS.sleep(5);
              }
              return element("1");
            },
            Map.of())) {
      Thread other =
          new Thread(
              () -> {
                await(() -> servers.begun() == 1);
                servers.cancelAll();
              });
      other.start();
      Outcome outcome = execute(servers.endpoints().get("tcp"), "endless");
      other.join();
      assertEquals(Outcome.Kind.ERROR, outcome.kind());
      assertTrue(outcome.detail().contains("cancelled"), outcome.detail());
    }
  }

  @Test
  void theServerUsesItsIdleThreadsFirst() throws Exception {
    try (Servers servers =
        Servers.answering(AsynchronousTest::answer, Map.of("max_threads", 200))) {
      for (int i = 0; i < 60; i++) {
        execute(servers.endpoints().get("tcp"), "one");
      }
      long threads =
          Thread.getAllStackTraces().keySet().stream()
              .filter(t -> t.getName().equals("async-query"))
              .count();
      assertTrue(threads < 30, threads + " threads for 60 queries, one after another");
    }
  }

  @Test
  void anUnknownStyleIsRefused() {
    Endpoint endpoint = new Endpoint(java.net.URI.create("tcp://127.0.0.1:1"));
    DriverException refused =
        assertThrows(
            DriverException.class, () -> execute(endpoint, options("sometimes", 1_000), "x"));
    assertTrue(refused.getMessage().contains("querying is sometimes"), refused.getMessage());
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENT_MS);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "it did not come to pass");
      try {
        TimeUnit.MILLISECONDS.sleep(5);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
