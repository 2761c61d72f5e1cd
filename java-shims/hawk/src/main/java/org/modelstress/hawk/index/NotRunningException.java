package org.modelstress.hawk.index;

/** The index cannot answer now; the message says what it does instead. */
public final class NotRunningException extends Exception {
  private static final long serialVersionUID = 1L;

  public NotRunningException(String message) {
    super(message);
  }
}
