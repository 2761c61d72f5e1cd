package org.modelstress.hawk.server.thrift;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.thrift.TApplicationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.hawk.api.HawkInstanceNotFound;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.InvalidQuery;
import org.modelstress.hawk.api.QueryReport;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.hawk.api.UnknownQueryLanguage;
import org.modelstress.hawk.driver.HawkDriver;
import org.modelstress.thrift.client.ApiClient;

/** Asynchronous queries through the network. */
@Timeout(120)
class AsyncTest {
  private static final int MOST = 4;
  private static final String ENDLESS = "var i = 0; while (true) { i = i + 1; } return i;";

  @TempDir private static Path folder;
  private static Served served;

  @BeforeAll
  static void start() throws Exception {
    served =
        Served.start(
            Served.backends().get(0),
            folder,
            Map.of("max_threads", 3, "max_async_queries", MOST, "async_timeout_s", 4));
  }

  @AfterAll
  static void stop() throws Exception {
    served.close();
  }

  private static String begin(ApiClient client, String text) throws Exception {
    return client.asyncQuery(Served.INSTANCE, text, Served.EOL, new HawkQueryOptions());
  }

  private static long queryThreads() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(t -> t.getKey().getName().equals("async-query"))
        .filter(t -> t.getKey().getState() == Thread.State.RUNNABLE)
        .count();
  }

  @Test
  void aResultIsFetchedOnce() throws Exception {
    try (ApiClient client = served.client()) {
      String id = begin(client, "return Segment.all.size();");
      QueryReport report = client.fetchAsyncQueryResults(id);
      assertEquals(QueryResult.vInteger(served.all("Segment").size()), report.getResult());
      assertFalse(report.isIsCancelled());
      assertThrows(InvalidQuery.class, () -> client.fetchAsyncQueryResults(id));
      assertThrows(InvalidQuery.class, () -> client.cancelAsyncQuery(id));
      assertThrows(InvalidQuery.class, () -> client.fetchAsyncQueryResults("no such query"));
    }
  }

  @Test
  void failuresComeAtOnceOrWithTheResult() throws Exception {
    try (ApiClient client = served.client()) {
      HawkQueryOptions options = new HawkQueryOptions();
      assertThrows(
          HawkInstanceNotFound.class,
          () -> client.asyncQuery("other", "return 1;", Served.EOL, options));
      assertThrows(
          UnknownQueryLanguage.class,
          () -> client.asyncQuery(Served.INSTANCE, "return 1;", "OCL", options));
      assertThrows(InvalidQuery.class, () -> begin(client, "return 1 +;"));
      String failing = begin(client, "return 1.nothing();");
      FailedQuery failed =
          assertThrows(FailedQuery.class, () -> client.fetchAsyncQueryResults(failing));
      assertTrue(failed.getReason().contains("nothing"), failed.getReason());
    }
  }

  @Test
  void cancellingFreesTheThread() throws Exception {
    try (ApiClient client = served.client()) {
      List<String> ids = new ArrayList<>();
      for (int i = 0; i < MOST; i++) { // one more than there are threads: it waits
        ids.add(begin(client, ENDLESS));
      }
      TApplicationException full =
          assertThrows(TApplicationException.class, () -> begin(client, "return 1;"));
      assertTrue(full.getMessage().contains("fetch"), full.getMessage());
      for (int i = 0; i < 200 && queryThreads() < 3; i++) {
        Thread.sleep(20);
      }
      assertEquals(3, queryThreads());
      for (String id : ids) {
        client.cancelAsyncQuery(id);
      }
      for (String id : ids) {
        assertTrue(client.fetchAsyncQueryResults(id).isIsCancelled());
      }
      for (int i = 0; i < 200 && queryThreads() > 0; i++) {
        Thread.sleep(20);
      }
      assertEquals(0, queryThreads());
      assertEquals(
          QueryResult.vInteger(1),
          client.fetchAsyncQueryResults(begin(client, "return 1;")).getResult());
    }
  }

  private static Outcome execute(String protocol, String querying, long timeoutMs, String text)
      throws Exception {
    Options options = new Options(timeoutMs, Map.of("querying", querying));
    try (HawkDriver driver = new HawkDriver();
        Driver.Session session = driver.open(served.endpoint(protocol), options)) {
      return session.execute(new Operation("test", text, Map.of(), 0));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "http"})
  void theDriversResultsAndErrorsAreThoseOfSynchronousQueries(String protocol) throws Exception {
    for (String text : List.of("return Segment.all;", "return 1 +;", "return 1.nothing();")) {
      Outcome expected = execute(protocol, "synchronous", 60_000, text);
      Outcome outcome = execute(protocol, "asynchronous", 60_000, text);
      assertEquals(expected.kind(), outcome.kind(), outcome.detail());
      assertEquals(expected.ids(), outcome.ids());
      assertEquals(expected.detail(), outcome.detail());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "http"})
  void aTimeoutOfTheDriverFreesTheThread(String protocol) throws Exception {
    Outcome outcome = execute(protocol, "asynchronous", 1_000, ENDLESS);
    assertEquals(Outcome.Kind.TIMEOUT, outcome.kind(), outcome.detail());
    for (int i = 0; i < 1_000 && queryThreads() > 0; i++) {
      Thread.sleep(20);
    }
    assertEquals(0, queryThreads());
  }

  @Test
  void fetchingHasADeadlineAndResultsExpire() throws Exception {
    try (ApiClient client = served.client()) {
      String endless = begin(client, ENDLESS);
      FailedQuery late =
          assertThrows(FailedQuery.class, () -> client.fetchAsyncQueryResults(endless));
      assertTrue(late.getReason().contains("4 s"), late.getReason());
      client.cancelAsyncQuery(endless);
      assertTrue(client.fetchAsyncQueryResults(endless).isIsCancelled());
      String forgotten = begin(client, "return 1;");
      Thread.sleep(6_500); // four seconds, and one of housekeeping
      assertThrows(InvalidQuery.class, () -> client.fetchAsyncQueryResults(forgotten));
    }
  }

  @Test
  void closingTheServerEndsWhatRuns() throws Exception {
    Served other = Served.start(Served.backends().get(0), folder.resolve("other"), Map.of());
    try (ApiClient client = other.client()) {
      for (int i = 0; i < 2; i++) {
        begin(client, ENDLESS);
      }
      Thread waiting =
          new Thread(
              () -> {
                try (ApiClient another = other.client()) {
                  another.query(Served.INSTANCE, ENDLESS, Served.EOL, new HawkQueryOptions());
                } catch (Exception e) {
                  return; // however it ends
                }
              });
      waiting.start();
      Thread.sleep(300);
      other.close();
      waiting.join(10_000);
      assertFalse(waiting.isAlive());
    }
    for (int i = 0; i < 100 && queryThreads() > 0; i++) {
      Thread.sleep(20);
    }
    assertEquals(0, queryThreads());
  }
}
