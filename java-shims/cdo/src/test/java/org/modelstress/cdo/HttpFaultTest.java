package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Outcome;

/**
 * The same faults over HTTP with Net4j's own polling, those long whose many polls take a minute.
 */
class HttpFaultTest extends FaultTest {
  @Override
  Transport transport() {
    return Transport.HTTP;
  }

  /** Net4j's poller runs before there is a connection, and looks every second. */
  @Test
  void nothingIsAskedInTheNameOfNobodyWhileTheServerIsSlowToConnect() throws Exception {
    try (ServerProcess server = serve(Map.of())) {
      Endpoint endpoint = TrainFixture.endpoint(server.awaitReady());
      server.suspend();
      CompletableFuture<Driver.Session> opening =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return driver().open(endpoint, transport().driver(60_000, Map.of()));
                } catch (DriverException e) {
                  throw new CompletionException(e);
                }
              });
      Thread.sleep(2_500);
      server.resume();
      try (Driver.Session session = opening.get(60, TimeUnit.SECONDS)) {
        Outcome outcome = session.execute(TrainFixture.operation("SwitchMonitored"));
        assertEquals(Outcome.Kind.OK, outcome.kind(), outcome.detail());
      }
    }
  }

  @Test
  @Tag("long")
  @Override
  void aSlowQueryTimesOutOnTheDeadlineAndOnTheSignalTimeout() throws Exception {
    super.aSlowQueryTimesOutOnTheDeadlineAndOnTheSignalTimeout();
  }

  @Test
  @Tag("long")
  @Override
  void aServerThatHangsNeitherHoldsAnExecutionNorClosing() throws Exception {
    super.aServerThatHangsNeitherHoldsAnExecutionNorClosing();
  }

  @Test
  @Tag("long")
  @Override
  void sessionsLeaveNothingBehindOnEitherSide() throws Exception {
    super.sessionsLeaveNothingBehindOnEitherSide();
  }
}
