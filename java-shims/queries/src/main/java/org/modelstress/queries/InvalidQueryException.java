package org.modelstress.queries;

/** The text is not a query; the message has line and column. */
public final class InvalidQueryException extends Exception {
  private static final long serialVersionUID = 1L;

  public InvalidQueryException(String message) {
    super(message);
  }
}
