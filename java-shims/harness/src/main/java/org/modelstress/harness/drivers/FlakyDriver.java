package org.modelstress.harness.drivers;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.modelstress.harness.samples.Digest;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.SessionContext;

/**
 * Injects faults. Options:
 *
 * <ul>
 *   <li>rates from 0 to 1, at most one fault per execution, decided by {@code seed} and sequence
 *       number alone: {@code error}, {@code reject}, {@code timeout} (gives up at its deadline, as
 *       a good driver does), {@code stall} (waits until interrupted), {@code hang} (ignores
 *       interrupts for {@code hang_ms}), {@code throw}, {@code wrong} (another digest), {@code
 *       unknown} (an identifier that nobody knows), {@code odd} (one identifier too few), {@code
 *       slow} (takes {@code slow_ms} longer)
 *   <li>{@code disconnect}: rate of failing {@code open} calls, by their number; {@code
 *       client_fault}: 1 when their reason shall be that local ports are exhausted
 *   <li>{@code latency_ms}: how long every execution takes; {@code items}: identifiers per result
 * </ul>
 */
public final class FlakyDriver implements Driver {
  private static final String[] FAULTS = {
    "error", "reject", "timeout", "stall", "hang", "throw", "wrong", "unknown", "odd", "slow"
  };

  private final AtomicLong opens = new AtomicLong();

  @Override
  public String name() {
    return "flaky";
  }

  @Override
  public Session open(Endpoints endpoints, SessionContext who) throws DriverException {
    Options options = who.options();
    long number = opens.getAndIncrement();
    if (draw(~options.number("seed", 1), number) < options.decimal("disconnect", 0)) {
      Exception cause =
          options.number("client_fault", 0) == 1
              ? new java.net.BindException("Cannot assign requested address")
              : new java.net.ConnectException("Connection refused");
      throw new DriverException("injected: no connection to " + endpoints.first().uri(), cause);
    }
    return new FlakySession(options);
  }

  @Override
  public void close() {
    // owns nothing
  }

  /** The fault of an execution, or the empty text. */
  static String fault(Options options, long sequence) {
    double draw = draw(options.number("seed", 1), sequence);
    for (String fault : FAULTS) {
      draw -= options.decimal(fault, 0);
      if (draw < 0) {
        return fault;
      }
    }
    return "";
  }

  private static double draw(long seed, long number) {
    return (Digest.mix(Digest.mix(seed) ^ number) >>> 11) * 0x1.0p-53;
  }

  private record FlakySession(Options options) implements Session {
    @Override
    public Outcome execute(Operation operation) {
      sleep(options.decimal("latency_ms", 0));
      String fault = fault(options, operation.sequence());
      return switch (fault) {
        case "error" -> Outcome.failed(Outcome.Kind.ERROR, "injected error");
        case "reject" -> Outcome.failed(Outcome.Kind.REJECTED, "injected rejection");
        case "timeout" -> {
          sleep(options.timeoutMillis());
          yield Outcome.failed(Outcome.Kind.TIMEOUT, "injected timeout");
        }
        case "stall" -> {
          sleep(options.decimal("hang_ms", 8.64e7));
          yield result(operation, fault);
        }
        case "hang" -> {
          hang(options.decimal("hang_ms", 8.64e7));
          yield result(operation, fault);
        }
        case "throw" -> throw new IllegalStateException("injected exception");
        case "slow" -> {
          sleep(options.decimal("slow_ms", 100));
          yield result(operation, fault);
        }
        default -> result(operation, fault);
      };
    }

    private Outcome result(Operation operation, String fault) {
      int items = (int) options.number("items", 2);
      long[] ids = new long[items];
      for (int i = 0; i < items; i++) {
        ids[i] = i;
      }
      switch (fault) {
        case "wrong" -> ids[0] += items;
        case "unknown" -> ids[0] = -1;
        case "odd" -> items--;
        default -> {}
      }
      return Outcome.ok(new Ids.Longs(ids, items));
    }

    @Override
    public void close() {
      // owns nothing
    }

    private static void sleep(double millis) {
      if (millis <= 0) {
        return;
      }
      try {
        TimeUnit.NANOSECONDS.sleep((long) (millis * 1e6));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // as a careless driver would leave it
      }
    }

    private static void hang(double millis) {
      long end = System.nanoTime() + (long) (millis * 1e6);
      while (System.nanoTime() - end < 0) {
        try {
          Thread.sleep(5);
        } catch (InterruptedException e) {
          // that is the fault
        }
      }
    }
  }
}
