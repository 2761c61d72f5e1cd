package org.modelstress.harness.spi;

import java.time.Duration;
import java.util.stream.LongStream;

/**
 * A session whose operations find whole numbers, for drivers that need no more: a failure is an
 * outcome, and one after the deadline a timeout.
 *
 * @param timeout of one execution
 * @param finder asks, within the timeout
 * @param end closes what the session has
 */
public record IdsSession(Duration timeout, Finder finder, Runnable end) implements Driver.Session {
  private static final int MOST = 50_000_000;

  /** What a driver does its own way. */
  @FunctionalInterface
  public interface Finder {
    /**
     * The identifiers of all matches, one after the other.
     *
     * @throws Exception where there is no answer, or it is wrong; its message is kept
     */
    LongStream ids(Operation operation) throws Exception;
  }

  @Override
  public Outcome execute(Operation operation) {
    long begin = System.nanoTime();
    try (LongStream found = finder.ids(operation)) {
      long[] ids = found.limit(MOST + 1L).toArray();
      return ids.length > MOST
          ? Outcome.failed(Outcome.Kind.ERROR, "more than " + MOST + " identifiers")
          : Outcome.ok(new Ids.Longs(ids, ids.length));
    } catch (Exception e) { // whatever a client library throws
      boolean late = System.nanoTime() - begin >= timeout.toNanos();
      return Outcome.failed(late ? Outcome.Kind.TIMEOUT : Outcome.Kind.ERROR, "no answer: " + e);
    }
  }

  @Override
  public void close() {
    end.run();
  }
}
