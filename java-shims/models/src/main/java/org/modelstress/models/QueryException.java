package org.modelstress.models;

/** A query cannot be parsed or evaluated; the message is one sentence for people. */
public class QueryException extends Exception {
  private static final long serialVersionUID = 1L;

  public QueryException(String message) {
    super(message);
  }

  public QueryException(String message, Throwable cause) {
    super(message, cause);
  }
}
