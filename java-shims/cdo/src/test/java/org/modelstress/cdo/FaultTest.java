package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.cdo.driver.CdoDriver;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;

/** The driver against a server process that is slow, dies, or is left in peace. */
@Timeout(120)
class FaultTest {
  @TempDir static Path folder;
  private static TrainFixture train;
  private static Driver driver;

  @BeforeAll
  static void load() throws Exception {
    train = new TrainFixture(folder, 2);
    driver = new CdoDriver();
  }

  @AfterAll
  static void close() {
    driver.close();
  }

  @Test
  void aSlowQueryTimesOutOnTheDeadlineAndOnTheSignalTimeout() throws Exception {
    // an interrupted query may close H2's file, and the second execution would be an error
    Map<String, Object> patient = Map.of("interrupt_queries", false);
    try (ServerProcess server = new ServerProcess("serve", train.config(patient, 0))) {
      Endpoint endpoint = TrainFixture.endpoint(server.awaitReady());

      Outcome deadline = endless(endpoint, TrainFixture.options(400, Map.of()));
      assertEquals(Outcome.Kind.TIMEOUT, deadline.kind());
      assertEquals("no result within 400 ms", deadline.detail());

      Outcome signal =
          endless(endpoint, TrainFixture.options(60_000, Map.of("signal_timeout_ms", 300)));
      assertEquals(Outcome.Kind.TIMEOUT, signal.kind());
      assertTrue(signal.detail().contains("signal timeout"), signal.detail());
    }
  }

  private static Outcome endless(Endpoint endpoint, Options options) throws DriverException {
    try (Driver.Session session = driver.open(endpoint, options)) {
      return session.execute(TrainFixture.ocl(TrainFixture.ENDLESS));
    }
  }

  @Test
  void aServerKilledInMidQueryIsAnError() throws Exception {
    try (ServerProcess server = new ServerProcess("serve", train.config(Map.of(), 0))) {
      Endpoint endpoint = TrainFixture.endpoint(server.awaitReady());
      Options options = TrainFixture.options(60_000, Map.of("signal_timeout_ms", 60_000));
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
    try (ServerProcess server = new ServerProcess("serve", train.config(Map.of(), 0))) {
      Endpoint endpoint = TrainFixture.endpoint(server.awaitReady());
      try (Driver.Session session = driver.open(endpoint, TrainFixture.options(60_000, Map.of()))) {
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
  void sessionsLeaveNoThreadsBehind() throws Exception {
    Map<String, Object> fast = Map.of("tcp_nodelay", true);
    try (ServerProcess server = new ServerProcess("serve", train.config(fast, 0))) {
      Endpoint endpoint = TrainFixture.endpoint(server.awaitReady());
      openAndClose(endpoint, 5);
      int before = settledThreads(Integer.MAX_VALUE);
      openAndClose(endpoint, 200);
      int after = settledThreads(before);
      assertTrue(after <= before, before + " threads before, " + after + " after 200 sessions");
    }
  }

  @Test
  void refusedConnectionsLeaveNothingBehind() throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    Endpoint nobody = TrainFixture.endpoint("tcp://127.0.0.1:" + free);
    Options options = TrainFixture.options(30_000, Map.of());
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

  private static long openFiles() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }

  private static void openAndClose(Endpoint endpoint, int times) throws Exception {
    for (int i = 0; i < times; i++) {
      try (Driver.Session session =
          driver.open(endpoint, TrainFixture.options(30_000, Map.of("tcp_nodelay", true)))) {
        Outcome outcome = session.execute(TrainFixture.operation("SwitchMonitored"));
        assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
      }
    }
  }

  /** This process's threads, once there are no more than {@code limit} or five seconds passed. */
  private static int settledThreads(int limit) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
    int threads;
    do {
      Thread.sleep(200);
      threads = Thread.getAllStackTraces().size();
    } while (threads > limit && System.nanoTime() < deadline);
    return threads;
  }
}
