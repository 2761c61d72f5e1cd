package org.modelstress.topology.manager;

import org.modelstress.topology.connection.ConnectionException;
import org.modelstress.topology.wire.Reply.End;

/** A transaction that was aborted, could not read, or whose end is not known. */
public final class TransactionException extends Exception {
  private static final long serialVersionUID = 1L;

  private final End end;
  private final boolean late;

  TransactionException(End end, String message, Throwable cause) {
    super(message, cause);
    this.end = end;
    this.late = cause instanceof ConnectionException e && e.late();
  }

  static TransactionException of(ConnectionException e) {
    return new TransactionException(End.UNREACHABLE, e.getMessage(), e);
  }

  /** Why it was aborted, or that its end is unknown. */
  public End end() {
    return end;
  }

  /** Whether a deadline was the reason. */
  public boolean late() {
    return late;
  }
}
