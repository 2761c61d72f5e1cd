package org.modelstress.topology.manager;

/** A request that no connection can be asked, or an object that cannot be written here. */
public final class RoutingException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says why. */
  public RoutingException(String message) {
    super(message);
  }
}
