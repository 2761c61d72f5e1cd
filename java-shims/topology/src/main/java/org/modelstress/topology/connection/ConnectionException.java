package org.modelstress.topology.connection;

/** A request that got no reply. */
public final class ConnectionException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean sent;
  private final boolean late;

  private ConnectionException(String message, Throwable cause, boolean sent, boolean late) {
    super(message, cause);
    this.sent = sent;
    this.late = late;
  }

  /** Nothing was sent: the request had no effect. */
  public static ConnectionException notSent(String message, Throwable cause) {
    return new ConnectionException(message, cause, false, false);
  }

  /** It was sent, at least in part, and whether it had an effect is not known. */
  public static ConnectionException sent(String message, Throwable cause) {
    return new ConnectionException(message, cause, true, false);
  }

  /** It was sent, and no reply came in time. */
  public static ConnectionException late(String message) {
    return new ConnectionException(message, null, true, true);
  }

  /** Whether it may have had an effect. */
  public boolean sent() {
    return sent;
  }

  /** Whether the reason is a deadline. */
  public boolean late() {
    return late;
  }
}
