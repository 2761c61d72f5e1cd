package org.modelstress.harness.server;

/** Ends the process, whatever threads libraries left behind. */
public final class Ending {
  /** After SIGTERM everything is over within 5 s; the rest is for the JVM itself. */
  static final long DEADLINE_MILLIS = 4_500;

  private Ending() {}

  /** Leaves with this exit code: shutdown hooks get a deadline, then the process halts. */
  public static void exit(int code) {
    haltAfter(DEADLINE_MILLIS, code);
    System.exit(code);
  }

  /** Halts the process after a while unless it has ended by then. */
  public static void haltAfter(long millis, int code) {
    Thread halter =
        new Thread(
            () -> {
              try {
                Thread.sleep(millis);
              } catch (InterruptedException e) {
                // nobody interrupts it; halting early is the safe side
              }
              Runtime.getRuntime().halt(code);
            },
            "halt-after-deadline");
    halter.setDaemon(true);
    halter.start();
  }

  /**
   * Closes what is nobody's any more in a thread of its own, and waits for it no longer than this.
   *
   * @param millis longest wait, milliseconds; an interrupt ends it earlier
   * @param name of the thread
   */
  public static void closeWithin(long millis, String name, Runnable close) {
    Thread closing = new Thread(close, name);
    closing.setDaemon(true);
    closing.start();
    try {
      closing.join(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
