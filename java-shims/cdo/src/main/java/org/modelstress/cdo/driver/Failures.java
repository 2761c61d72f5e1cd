package org.modelstress.cdo.driver;

import java.nio.channels.ClosedChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.sql.SQLException;
import org.eclipse.net4j.util.concurrent.TimeoutRuntimeException;
import org.eclipse.net4j.util.io.IOTimeoutException;
import org.h2.api.ErrorCode;
import org.modelstress.harness.spi.Outcome;

/** What an exception out of CDO's client means. */
final class Failures {
  private Failures() {}

  /** Timeout when the deadline or Net4j's signal timeout was exceeded, else error. */
  static Outcome.Kind kind(Throwable failure, Deadline.Cause cause) {
    boolean timeout = cause == Deadline.Cause.TIME || (cause == null && isSignalTimeout(failure));
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
  static String message(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    String text = cause.getMessage() == null ? "" : cause.getMessage().strip();
    String first = text.isEmpty() ? cause.getClass().getName() : text.lines().findFirst().get();
    return isDatabaseClosed(failure)
        ? "the server's H2 database is closed until a restart, as happens when the thread of a"
            + " cancelled query is interrupted in it: "
            + first
        : first;
  }

  private static boolean isDatabaseClosed(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      boolean file =
          t instanceof ClosedChannelException || t instanceof OverlappingFileLockException;
      boolean h2 = t instanceof SQLException e && e.getErrorCode() == ErrorCode.DATABASE_IS_CLOSED;
      if (file || h2) {
        return true;
      }
    }
    return false;
  }
}
