package org.modelstress.topology.query;

/** A query or condition that cannot be understood; the message is one sentence. */
public final class QueryException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says why. */
  public QueryException(String message) {
    super(message);
  }
}
