package org.modelstress.mogwai.store;

/** A database cannot be opened, read or written; the message is one sentence for people. */
public class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
