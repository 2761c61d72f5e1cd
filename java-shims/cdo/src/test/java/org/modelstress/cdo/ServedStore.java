package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.modelstress.cdo.driver.CdoDriver;
import org.modelstress.cdo.driver.RawClient;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Outcome;

/** A server of a copy of a store, in this process, and whether it still answers. */
final class ServedStore implements AutoCloseable {
  final Transport transport;
  final CdoRepository repository;
  final Listener listener;

  ServedStore(TrainFixture train, Transport transport, Map<String, Object> more) throws Exception {
    this.transport = transport;
    Path copy = Files.createTempDirectory(train.store.getParent(), "copy").resolve("store");
    StoreFolder.at(train.store).copyTo(copy, false);
    ServerOptions options = ServerOptions.of(transport.server(more));
    repository = new CdoRepository(copy, options);
    listener = Listener.open(transport.protocol, repository.container(), "127.0.0.1", 0, options);
  }

  RawClient connect() throws Exception {
    return new RawClient(
        TrainFixture.endpoint(listener.endpoint()), transport.driver(30_000, Map.of()));
  }

  Outcome ask(long timeoutMillis, String ocl) throws Exception {
    try (Driver driver = new CdoDriver();
        Driver.Session session =
            driver.open(
                TrainFixture.endpoint(listener.endpoint()),
                transport.driver(timeoutMillis, Map.of("signal_timeout_ms", 60_000)))) {
      return session.execute(TrainFixture.ocl(ocl));
    }
  }

  void assertAnswers() throws Exception {
    Outcome outcome = ask(60_000, "railway::Segment.allInstances()->select(s | s.length > 0)");
    assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
  }

  @Override
  public void close() {
    listener.close();
    repository.close();
  }

  /** Waits until something is so. */
  static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "it goes on");
      Thread.sleep(100);
    }
  }

  /** Whether a thread of this process, which is server and client, is inside a class. */
  static boolean isRunning(String className) {
    return Thread.getAllStackTraces().values().stream()
        .flatMap(Arrays::stream)
        .anyMatch(frame -> frame.getClassName().equals(className));
  }
}
