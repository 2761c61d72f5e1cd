package org.modelstress.cdo;

import java.util.concurrent.TimeUnit;
import org.eclipse.emf.cdo.server.ISession;

/**
 * What one query may take: a text of bounded length and nesting, a time, and no longer than its
 * client is there. Belongs to one query and its thread.
 */
final class QueryBounds {
  static final int LONGEST_TEXT = 1_000_000;
  static final int DEEPEST_NESTING = 200;

  /** Steps between two looks at the clock: a step is one turn of a loop, or one feature read. */
  private static final int STEPS = 256;

  private final ISession session;
  private final int seconds;
  private final long end;
  private int steps;

  QueryBounds(ISession session, int seconds) {
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
   * @throws IllegalStateException if the time is over, or nobody waits for the result any more
   */
  void step() {
    if (++steps % STEPS != 0) {
      return;
    }
    if (System.nanoTime() - end > 0) {
      throw new IllegalStateException(
          "The server ended the query after " + seconds + " s (query_timeout_s).");
    }
    if (session.isClosed() || Thread.currentThread().isInterrupted()) {
      throw new IllegalStateException("The query was cancelled.");
    }
  }
}
