package org.modelstress.queries;

/** A query failed while it ran; the message has line and column where they are known. */
public final class FailedQueryException extends Exception {
  private static final long serialVersionUID = 1L;

  public FailedQueryException(String message, Throwable cause) {
    super(message, cause);
  }
}
