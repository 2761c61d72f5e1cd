package org.modelstress.cdo.websocket;

import java.util.concurrent.TimeUnit;
import org.eclipse.net4j.connector.ConnectorException;

/**
 * Bounds what is sent and not yet written to the socket.
 *
 * <p>Net4j's TCP transport queues without a bound, so a peer that stops reading fills the memory of
 * whoever sends to it. Here a sender first hands over its frame and then waits while too many are
 * under way: nothing is lost or reordered when the wait is interrupted, and memory is bounded by
 * the window and one frame per sending thread. The wait ends by an error when the peer takes
 * nothing at all for some time.
 */
final class SendWindow {
  private final int most;
  private final long patienceMillis;
  private int pending;
  private long written;
  private boolean closed;

  /**
   * A window.
   *
   * @param most frames that may be under way before a sender waits
   * @param patienceMillis how long a sender waits without any frame being written
   */
  SendWindow(int most, long patienceMillis) {
    this.most = most;
    this.patienceMillis = patienceMillis;
  }

  /** A frame is under way. */
  synchronized void sent() {
    pending++;
  }

  /** A frame is written, or never will be. */
  synchronized void written() {
    pending--;
    written++;
    notifyAll();
  }

  /** Nobody waits any more. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  /**
   * Waits while too many frames are under way.
   *
   * @throws ConnectorException if no frame was written for too long, or the thread is interrupted
   */
  synchronized void awaitRoom() {
    long seen = written;
    long since = System.nanoTime();
    while (pending > most && !closed) {
      if (written != seen) {
        seen = written;
        since = System.nanoTime();
      }
      long left = patienceMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
      if (left <= 0) {
        throw new ConnectorException(
            "the other end took nothing for " + patienceMillis + " ms while data was waiting");
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ConnectorException("interrupted while the other end was slow", e);
      }
    }
  }
}
