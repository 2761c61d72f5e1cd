package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.cdo.driver.CdoDriver;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.DriverTimeoutException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;

/** The driver against a server process that is slow, dies, or is left in peace, over TCP. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FaultTest {
  /** How the threads of Net4j's pools are named. */
  private static final String NET4J_THREAD = "net4j-thread-";

  private TrainFixture train;
  private Driver driver;
  private Operation query;

  /** What is between them; a subclass runs the same over another. */
  Transport transport() {
    return Transport.TCP;
  }

  ServerProcess serve(Map<String, Object> more) throws IOException {
    Map<String, Object> options = transport().server(more);
    return new ServerProcess("serve", train.config(options, transport().protocol, 0));
  }

  private Options driver(long timeoutMillis, Map<String, Object> more) {
    return transport().driver(timeoutMillis, more);
  }

  Driver driver() {
    return driver;
  }

  @BeforeAll
  void load(@TempDir Path folder) throws Exception {
    train = new TrainFixture(folder, 2);
    driver = new CdoDriver();
    query = TrainFixture.operation("SwitchMonitored");
  }

  @AfterAll
  void close() {
    driver.close();
  }

  @Test
  void aSlowQueryTimesOutOnTheDeadlineAndOnTheSignalTimeout() throws Exception {
    // an interrupted query may close H2's file, and the second execution would be an error
    Map<String, Object> patient = Map.of("interrupt_queries", false);
    try (ServerProcess server = serve(patient)) {
      Endpoint endpoint = TrainFixture.endpoint(server.awaitReady());
      long limit = transport().limitMillis;
      Outcome deadline = endless(endpoint, driver(limit, Map.of()));
      assertEquals(Outcome.Kind.TIMEOUT, deadline.kind(), deadline.detail());
      assertEquals("no result within " + limit + " ms", deadline.detail());

      Outcome signal = endless(endpoint, driver(60_000, Map.of("signal_timeout_ms", limit)));
      assertEquals(Outcome.Kind.TIMEOUT, signal.kind());
      assertTrue(signal.detail().contains("signal timeout"), signal.detail());
    }
  }

  private Outcome endless(Endpoint endpoint, Options options) throws Exception {
    try (Driver.Session session = opened(endpoint, options)) {
      return session.execute(TrainFixture.ocl(TrainFixture.ENDLESS));
    }
  }

  /** The limits hold for opening a session, too, which takes a slow machine more than one try. */
  private Driver.Session opened(Endpoint endpoint, Options options) throws Exception {
    for (int i = 1; ; i++) {
      try {
        return driver.open(endpoint, options);
      } catch (DriverException e) {
        if (i == 30) {
          throw e;
        }
        Thread.sleep(500);
      }
    }
  }

  @Test
  void aServerThatDoesNotAnswerWhenASessionIsOpenedIsATimeout() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Endpoint endpoint = transport().endpoint("127.0.0.1", mute.getLocalPort());
      Options deadline = driver(1_000, Map.of());
      assertThrows(DriverTimeoutException.class, () -> driver.open(endpoint, deadline));
      if (transport() == Transport.TCP) { // the others connect by HTTP, which is no signal
        Options signal = driver(60_000, Map.of("signal_timeout_ms", 1_000, "safe_connect", true));
        assertThrows(DriverTimeoutException.class, () -> driver.open(endpoint, signal));
      }
    }
  }

  @Test
  void aServerKilledInMidQueryIsAnError() throws Exception {
    try (ServerProcess server = serve(Map.of())) {
      Endpoint endpoint = TrainFixture.endpoint(server.awaitReady());
      Options options = driver(60_000, Map.of("signal_timeout_ms", 60_000));
      try (Driver.Session session = driver.open(endpoint, options)) {
        CompletableFuture<Outcome> running =
            CompletableFuture.supplyAsync(
                () -> session.execute(TrainFixture.ocl(TrainFixture.ENDLESS)));
        Thread.sleep(500); // let the query reach the server
        server.kill();
        // far below both timeouts: the loss of the connection ends the wait
        Outcome outcome = running.get(20, TimeUnit.SECONDS);
        assertEquals(Outcome.Kind.ERROR, outcome.kind());
        assertTrue(outcome.detail().contains("connection"), outcome.detail());
      }
    }
  }

  @Test
  void aServerWithAQueryUnderWayStops() throws Exception {
    try (ServerProcess server = serve(Map.of())) {
      Endpoint endpoint = TrainFixture.endpoint(server.awaitReady());
      try (Driver.Session session = driver.open(endpoint, driver(60_000, Map.of()))) {
        CompletableFuture<Outcome> running =
            CompletableFuture.supplyAsync(
                () -> session.execute(TrainFixture.ocl(TrainFixture.ENDLESS)));
        Thread.sleep(500); // let the query reach the server
        server.terminate();
        int code = server.awaitExit();
        assertTrue(code == 143 || code == 0, "exit code " + code);
        assertEquals(Outcome.Kind.ERROR, running.get(20, TimeUnit.SECONDS).kind());
      }
    }
  }

  @Test
  void sessionsLeaveNothingBehindOnEitherSide() throws Exception {
    try (ServerProcess server = serve(Map.of())) {
      Endpoint endpoint = TrainFixture.endpoint(server.awaitReady());
      openAndClose(endpoint, 40);
      int before = settledThreads(Integer.MAX_VALUE);
      long files = openFiles();
      long serverFiles = server.openFiles();
      long serverThreads = server.threads();
      openAndClose(endpoint, 200);
      int after = settledThreads(before);
      assertTrue(after <= before, before + " threads before, " + after + " after 200 sessions");
      assertFewMore(files, this::openFiles, "open files");
      assertFewMore(serverFiles, server::openFiles, "open files of the server");
      // pools grow with what they once had to do, not with the number of sessions
      assertFewMore(serverThreads, server::threads, "threads of the server");
    }
  }

  @Test
  void threadsOfABurstEndSoon() throws Exception {
    try (ServerProcess server = serve(Map.of())) {
      Endpoint endpoint = TrainFixture.endpoint(server.awaitReady());
      openAndClose(endpoint, 20);
      AtomicLong most = new AtomicLong();
      Thread counter =
          new Thread(
              () -> {
                try {
                  while (!Thread.interrupted()) {
                    most.accumulateAndGet(server.threads(NET4J_THREAD), Math::max);
                    Thread.sleep(20);
                  }
                } catch (IOException | InterruptedException e) {
                  // counted enough
                }
              });
      counter.start();
      openAndClose(endpoint, 120);
      counter.interrupt();
      counter.join();
      // Net4j keeps ten threads in each of two pools; its own minute is longer than this. The
      // threads of Jetty and of the JVM come and go as they like.
      long kept = 2 * 10;
      assertTrue(most.get() > 0, "no thread of Net4j seen");
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(45);
      while (server.threads(NET4J_THREAD) > kept && System.nanoTime() < deadline) {
        Thread.sleep(200);
      }
      long left = server.threads(NET4J_THREAD);
      assertTrue(left <= kept, most + " threads of Net4j in the burst, " + left + " afterwards");
    }
  }

  /** At most 30 more than before, far from one for each of 200 sessions; closing takes a while. */
  private static void assertFewMore(long before, Count count, String what) throws Exception {
    long limit = before + 30;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (count.now() > limit && System.nanoTime() < deadline) {
      Thread.sleep(100);
    }
    long after = count.now();
    assertTrue(after <= limit, before + " " + what + " before, " + after + " after 200 sessions");
  }

  private interface Count {
    long now() throws IOException;
  }

  @Test
  void aServerThatHangsNeitherHoldsAnExecutionNorClosing() throws Exception {
    try (ServerProcess server = serve(Map.of())) {
      Endpoint endpoint = TrainFixture.endpoint(server.awaitReady());
      openAndClose(endpoint, 1);
      int threads = settledThreads(Integer.MAX_VALUE);
      Driver.Session session = opened(endpoint, driver(5_000, Map.of()));
      server.suspend();
      CompletableFuture<Outcome> running =
          CompletableFuture.supplyAsync(() -> session.execute(query));
      assertEquals(Outcome.Kind.TIMEOUT, running.get(40, TimeUnit.SECONDS).kind());
      CompletableFuture.runAsync(session::close).get(20, TimeUnit.SECONDS);
      int after = settledThreads(threads);
      assertTrue(after <= threads, threads + " threads before, " + after + " after");
    }
  }

  @Test
  void refusedConnectionsLeaveNothingBehind() throws Exception {
    String address;
    try (ServerProcess server = serve(Map.of())) {
      address = server.awaitReady();
    }
    Endpoint nobody = TrainFixture.endpoint(address);
    Options options = driver(30_000, Map.of());
    assertThrows(DriverException.class, () -> driver.open(nobody, options));
    int threads = settledThreads(Integer.MAX_VALUE);
    long files = openFiles();
    for (int i = 0; i < 50; i++) {
      assertThrows(DriverException.class, () -> driver.open(nobody, options));
    }
    int threadsAfter = settledThreads(threads);
    assertTrue(threadsAfter <= threads, threads + " threads before, " + threadsAfter + " after");
    assertTrue(openFiles() < files + 25, files + " open files before, " + openFiles() + " after");
  }

  private long openFiles() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }

  /** That many sessions, up to 40 at a time. */
  private void openAndClose(Endpoint endpoint, int times) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(40);
    try {
      List<Callable<Outcome>> sessions =
          Collections.nCopies(
              times,
              () -> {
                try (Driver.Session session = driver.open(endpoint, driver(60_000, Map.of()))) {
                  return session.execute(query);
                }
              });
      for (Future<Outcome> outcome : threads.invokeAll(sessions, 100, TimeUnit.SECONDS)) {
        assertEquals(Outcome.Kind.OK, outcome.get().kind(), outcome.get().detail());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** This process's threads, once there are no more than {@code limit} or five seconds passed. */
  private int settledThreads(int limit) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
    int threads;
    do {
      Thread.sleep(200);
      threads = (int) Thread.getAllStackTraces().keySet().stream().filter(FaultTest::ours).count();
    } while (threads > limit && System.nanoTime() < deadline);
    return threads;
  }

  /** Not one that tests wait for futures with. */
  private static boolean ours(Thread thread) {
    return !thread.getName().matches("(ForkJoinPool|CompletableFuture|process reaper|pool-).*");
  }
}
