package org.modelstress.harness.spi;

/** A session could not be opened; the message is for the person who reads the outcome table. */
public class DriverException extends Exception {
  private static final long serialVersionUID = 1L;

  public DriverException(String message, Throwable cause) {
    super(message, cause);
  }
}
