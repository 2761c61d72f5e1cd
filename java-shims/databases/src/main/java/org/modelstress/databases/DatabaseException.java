package org.modelstress.databases;

/** A database server did not start or end; the message is one sentence. */
public class DatabaseException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why, where that tells what can be done. */
  enum Reason {
    /** The address could not be had. */
    PORT_IS_BUSY,
    /** Processes of a server that was killed are not gone yet. */
    STILL_ENDING,
    OTHER
  }

  private final Reason reason;

  DatabaseException(String message, Throwable cause) {
    this(Reason.OTHER, message, cause);
  }

  DatabaseException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  Reason reason() {
    return reason;
  }

  /** Whether the address could not be had. */
  public boolean portIsBusy() {
    return reason == Reason.PORT_IS_BUSY;
  }
}
