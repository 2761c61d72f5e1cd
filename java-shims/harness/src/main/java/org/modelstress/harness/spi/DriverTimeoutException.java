package org.modelstress.harness.spi;

/** A session could not be opened because the server did not answer in time. */
public final class DriverTimeoutException extends DriverException {
  private static final long serialVersionUID = 1L;

  public DriverTimeoutException(String message, Throwable cause) {
    super(message, cause);
  }
}
