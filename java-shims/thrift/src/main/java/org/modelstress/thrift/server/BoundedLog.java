package org.modelstress.thrift.server;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** Says what clients did wrong in a few lines of bounded length, however often they do it. */
final class BoundedLog {
  private static final int LINES = 20;
  private static final int LONGEST = 300;
  private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Logger log;
  private long periodBegun = System.nanoTime();
  private int lines;
  private long unsaid;

  BoundedLog(Logger log) {
    this.log = log;
  }

  /** Writes a line, unless there were many within the last minute: those are counted. */
  synchronized void say(String what, Object why) {
    if (System.nanoTime() - periodBegun > PERIOD_NANOS) {
      periodBegun = System.nanoTime();
      lines = 0;
      if (unsaid > 0) {
        log.info("{} more lines of this kind were left out", unsaid);
        unsaid = 0;
      }
    }
    if (++lines > LINES) {
      unsaid++;
    } else {
      log.info("{}: {}", what, printable(String.valueOf(why)));
    }
  }

  private static String printable(String text) {
    String shown = text.length() > LONGEST ? text.substring(0, LONGEST) + " ..." : text;
    return shown.replaceAll("\\p{Cntrl}", "?");
  }
}
