package org.modelstress.models;

/** A model cannot be read, written or queried; the message is one sentence for people. */
public class ModelException extends Exception {
  private static final long serialVersionUID = 1L;

  public ModelException(String message) {
    super(message);
  }

  public ModelException(String message, Throwable cause) {
    super(message, cause);
  }
}
