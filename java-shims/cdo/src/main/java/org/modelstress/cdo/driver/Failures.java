package org.modelstress.cdo.driver;

import org.eclipse.net4j.util.concurrent.TimeoutRuntimeException;
import org.eclipse.net4j.util.io.IOTimeoutException;
import org.modelstress.harness.spi.Outcome;

/** What an exception out of CDO's client means. */
final class Failures {
  private Failures() {}

  /** Timeout when the deadline or Net4j's signal timeout was exceeded, else error. */
  static Outcome.Kind kind(Throwable failure, Deadline.Cause cause) {
    boolean timeout =
        cause == Deadline.Cause.TIME || (cause == null && isSignalTimeout(failure));
    return timeout ? Outcome.Kind.TIMEOUT : Outcome.Kind.ERROR;
  }

  /** One sentence for the person who reads the outcome table. */
  static String sentence(
      Throwable failure, Deadline.Cause cause, long timeoutMs, long signalTimeoutMs) {
    if (cause == Deadline.Cause.TIME) {
      return "no result within " + timeoutMs + " ms";
    }
    if (cause == Deadline.Cause.CONNECTION) {
      return "the connection to the server was lost or refused";
    }
    if (isSignalTimeout(failure)) {
      return "Net4j's signal timeout: nothing came for " + signalTimeoutMs + " ms";
    }
    return message(failure);
  }

  private static boolean isSignalTimeout(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof IOTimeoutException
          || t instanceof TimeoutRuntimeException
          || t instanceof java.util.concurrent.TimeoutException) {
        return true;
      }
    }
    return false;
  }

  /** The innermost message, which is the server's own where the server failed. */
  private static String message(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    String text = cause.getMessage();
    String first = text == null || text.isBlank() ? "" : text.strip().lines().findFirst().get();
    return first.isEmpty() ? cause.getClass().getName() : first;
  }
}
