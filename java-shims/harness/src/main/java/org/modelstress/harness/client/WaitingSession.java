package org.modelstress.harness.client;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;

/**
 * A session that waits a known share of every execution before it returns, so that the execution
 * takes longer by that share. Statistics are held against it, since the truth is known.
 */
final class WaitingSession implements Driver.Session {
  /** Name of the driver option, in percent of an execution. */
  static final String NAME = "waited_percent";

  private final Driver.Session session;
  private final long percent;

  private WaitingSession(Driver.Session session, long percent) {
    this.session = session;
    this.percent = percent;
  }

  /** The session itself, or one that waits where the options ask for it. */
  static Driver.Session of(Driver.Session session, Options options) {
    long percent = options.number(NAME, 0);
    return percent > 0 ? new WaitingSession(session, percent) : session;
  }

  /** The options without this one, which drivers do not know. */
  static Options without(Options options) {
    if (!options.values().containsKey(NAME)) {
      return options;
    }
    Map<String, Object> values = new LinkedHashMap<>(options.values());
    values.remove(NAME);
    return new Options(options.timeoutMillis(), values);
  }

  @Override
  public Outcome execute(Operation operation) {
    long begun = System.nanoTime();
    Outcome outcome = session.execute(operation);
    long now = System.nanoTime();
    long end = now + (now - begun) * percent / 100;
    while (now < end && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(end - now);
      now = System.nanoTime();
    }
    return outcome;
  }

  @Override
  public void close() {
    session.close();
  }
}
