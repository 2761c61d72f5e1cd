package org.modelstress.harness.server;

import java.net.BindException;

/** Addresses that cannot be listened on. */
public final class Ports {
  private Ports() {}

  /** Whether an exception, or one of its causes, says that an address could not be bound. */
  public static boolean isBusy(Throwable thrown) {
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      if (t instanceof BindException) {
        return true;
      }
    }
    return false;
  }

  /** The exception for an address that cannot be bound: exit code 5. */
  public static ServerException busy(String bind, int port, Throwable cause) {
    return new ServerException(
        ServerException.Exit.PORT,
        "cannot listen on "
            + bind
            + ":"
            + port
            + ": the port is in use or the address is not this host's; choose another or 0",
        cause);
  }
}
