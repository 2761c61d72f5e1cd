package org.modelstress.topology.store;

/** A database server did not start or end; the message is one sentence. */
public class StoreException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean portIsBusy;

  StoreException(String message, Throwable cause) {
    this(message, cause, false);
  }

  private StoreException(String message, Throwable cause, boolean portIsBusy) {
    super(message, cause);
    this.portIsBusy = portIsBusy;
  }

  static StoreException portIsBusy(String message) {
    return new StoreException(message, null, true);
  }

  /** Whether the address could not be had. */
  public boolean portIsBusy() {
    return portIsBusy;
  }
}
