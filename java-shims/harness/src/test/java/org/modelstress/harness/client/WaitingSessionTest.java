package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;

class WaitingSessionTest {
  private static final Outcome FAILED = Outcome.failed(Outcome.Kind.ERROR, "what it was");

  private long tookNs;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Driver.Session slow =
      new Driver.Session() {
        @Override
        public Outcome execute(Operation operation) {
          long begun = System.nanoTime();
          LockSupport.parkNanos(20_000_000);
          tookNs = System.nanoTime() - begun;
          return FAILED;
        }

        @Override
        public void close() {
          closed.set(true);
        }
      };

  @Test
  void anExecutionTakesLongerByItsShare() {
    Driver.Session waiting = WaitingSession.of(slow, options(150));
    long begun = System.nanoTime();
    assertSame(FAILED, waiting.execute(null));
    long whole = System.nanoTime() - begun;
    assertTrue(whole >= 2.5 * tookNs, whole + " ns, of which the execution took " + tookNs);
    waiting.close();
    assertTrue(closed.get());
  }

  @Test
  void nothingIsWaitedWhereNothingIsAsked() {
    assertSame(slow, WaitingSession.of(slow, options(0)));
    assertSame(slow, WaitingSession.of(slow, new Options(1000, Map.of())));
  }

  @Test
  void driversAreNotToldOfIt() {
    Options options = WaitingSession.without(options(150));
    assertEquals(Map.of(), options.values());
    assertEquals(1000, options.timeoutMillis());
    assertSame(options, WaitingSession.without(options));
  }

  @Test
  void whoeverIsInterruptedWaitsNoLonger() {
    Driver.Session waiting = WaitingSession.of(slow, options(1_000_000_000));
    Thread.currentThread().interrupt();
    assertEquals(FAILED, waiting.execute(null)); // its deadline interrupts an execution
    assertTrue(Thread.interrupted());
  }

  private static Options options(long percent) {
    return new Options(1000, Map.of(WaitingSession.NAME, percent));
  }
}
