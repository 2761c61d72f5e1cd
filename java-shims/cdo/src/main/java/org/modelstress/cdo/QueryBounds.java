package org.modelstress.cdo;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.eclipse.emf.cdo.server.ISession;
import org.eclipse.emf.cdo.spi.server.InternalSession;
import org.eclipse.net4j.signal.SignalProtocol;
import org.eclipse.net4j.util.lifecycle.LifecycleUtil;
import org.modelstress.queries.HeapWatch;

/**
 * What one query may take: a text of bounded length and nesting, a time, a part of the memory, and
 * no longer than its client is there. Belongs to one query and its thread.
 */
final class QueryBounds implements AutoCloseable {
  static final int LONGEST_TEXT = 1_000_000;
  static final int DEEPEST_NESTING = 200;

  /** Steps between two looks at the clock: a step is one turn of a loop, or one feature read. */
  private static final int STEPS = 256;

  /** Elements of a list that are one step, since it is passed on as a whole. */
  private static final int ELEMENTS_PER_STEP = 64;

  private static final HeapWatch HEAP = new HeapWatch();
  private static final Set<QueryBounds> UNDER_WAY = ConcurrentHashMap.newKeySet();

  private final ISession session;
  private final int seconds;
  private final long end;
  private final long thread = Thread.currentThread().getId();
  private final long allocatedBefore = HeapWatch.allocated(thread);
  private int steps;

  /** Begins a query of this thread; to be closed at its end. */
  QueryBounds(ISession session, int seconds) {
    UNDER_WAY.add(this);
    this.session = session;
    this.seconds = seconds;
    this.end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
  }

  /**
   * Checks a text before it is parsed.
   *
   * @throws IllegalArgumentException if it is too long or too deeply nested
   */
  static void checkText(String text) {
    if (text.length() > LONGEST_TEXT) {
      throw new IllegalArgumentException(
          "The query has " + text.length() + " characters; the server takes " + LONGEST_TEXT + ".");
    }
    int depth = 0;
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      depth += each == '(' || each == '{' ? 1 : each == ')' || each == '}' ? -1 : 0;
      if (depth > DEEPEST_NESTING) {
        throw new IllegalArgumentException(
            "The query has more than " + DEEPEST_NESTING + " brackets inside each other.");
      }
    }
  }

  /**
   * Counts one step of the evaluation.
   *
   * @throws IllegalStateException if the time is over, the memory full of it, or nobody waits for
   *     the result any more
   */
  void step() {
    if (++steps >= STEPS) {
      look();
    }
  }

  /** Counts the steps that a value is, which may be a list of many elements. */
  void step(Object value) {
    if (value instanceof Collection<?> all) {
      steps += Math.min(STEPS, all.size() / ELEMENTS_PER_STEP);
    }
    step();
  }

  private void look() {
    steps = 0;
    if (System.nanoTime() - end > 0) {
      throw new IllegalStateException(
          "The server ended the query after " + seconds + " s (query_timeout_s).");
    }
    if (fillsMemory()) {
      throw new IllegalStateException("The query needs more memory than the server has.");
    }
    if (session.isClosed() || isCutOff() || Thread.currentThread().isInterrupted()) {
      throw new IllegalStateException("The query was cancelled.");
    }
  }

  /** Whether the connection is lost. Net4j then waits ten seconds for the query to end first. */
  private boolean isCutOff() {
    return ((InternalSession) session).getProtocol() instanceof SignalProtocol<?> protocol
        && !LifecycleUtil.isActive(protocol.getChannel());
  }

  /** Of the queries under way the largest ends, if it may be the cause. */
  private boolean fillsMemory() {
    return HEAP.isNearlyFull()
        && HeapWatch.isConsiderable(allocated())
        && UNDER_WAY.stream().allMatch(each -> each.allocated() <= allocated());
  }

  private long allocated() {
    return HeapWatch.allocated(thread) - allocatedBefore;
  }

  @Override
  public void close() {
    UNDER_WAY.remove(this);
  }
}
