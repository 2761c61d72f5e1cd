package org.modelstress.harness.client;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.SessionContext;

/** Does what a test says, and counts. */
final class TestDriver implements Driver {
  static final Outcome OK = Outcome.ok(new Ids.Longs(new long[] {1}, 1));

  final AtomicInteger opens = new AtomicInteger();
  final AtomicInteger closes = new AtomicInteger();
  final Set<String> texts = ConcurrentHashMap.newKeySet();
  private final Function<Operation, Outcome> behaviour;

  TestDriver(Function<Operation, Outcome> behaviour) {
    this.behaviour = behaviour;
  }

  @Override
  public String name() {
    return "test";
  }

  @Override
  public Session open(Endpoints endpoints, SessionContext who) throws DriverException {
    opens.incrementAndGet();
    return new Session() {
      @Override
      public Outcome execute(Operation operation) {
        if (operation.text() != null) {
          texts.add(operation.text());
        }
        return behaviour.apply(operation);
      }

      @Override
      public void close() {
        closes.incrementAndGet();
      }
    };
  }

  @Override
  public void close() {
    // owns nothing
  }

  static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
