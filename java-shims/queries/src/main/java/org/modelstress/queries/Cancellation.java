package org.modelstress.queries;

/** Set by one thread, looked at by the query's. */
public final class Cancellation {
  private volatile boolean cancelled;

  /** Asks the query to end; it does so at its next step. */
  public void cancel() {
    cancelled = true;
  }

  /** Whether it was asked to. */
  public boolean isCancelled() {
    return cancelled;
  }
}
