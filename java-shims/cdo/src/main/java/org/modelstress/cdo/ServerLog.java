package org.modelstress.cdo;

import java.io.PrintStream;
import java.util.HashSet;
import java.util.Set;
import org.eclipse.net4j.util.om.log.AbstractLogHandler;
import org.eclipse.net4j.util.om.log.OMLogger;

/**
 * Writes what CDO and Net4j log. They log a stack trace for every request that is wrong, and a
 * client may send as many as it likes: each kind of failure has its stack trace once, and the log
 * ends at some length, after which it only counts.
 */
final class ServerLog extends AbstractLogHandler {
  static final int MOST_TRACES = 50;
  static final int MOST_LINES = 2_000;
  private static final int LONGEST_LINE = 500;

  private final PrintStream out;
  private final Set<String> traced = new HashSet<>();
  private long messages;

  ServerLog(PrintStream out) {
    this.out = out;
  }

  @Override
  protected synchronized void writeLog(
      OMLogger logger, OMLogger.Level level, String message, Throwable thrown) {
    messages++;
    if (messages > MOST_LINES) {
      if (Long.bitCount(messages) == 1) {
        out.println("[" + level + "] messages so far, most of them not shown: " + messages);
      }
      return;
    }
    String text = thrown == null ? message : thrown.toString();
    out.println("[" + level + "] " + firstLine(text));
    if (thrown != null && traced.size() < MOST_TRACES && traced.add(kind(thrown))) {
      thrown.printStackTrace(out);
    }
  }

  private static String firstLine(String text) {
    String line = String.valueOf(text).lines().findFirst().orElse("");
    return line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE) + "…";
  }

  private static String kind(Throwable thrown) {
    StackTraceElement[] frames = thrown.getStackTrace();
    return thrown.getClass().getName() + (frames.length == 0 ? "" : frames[0]);
  }
}
