package org.modelstress.thrift.server;

import java.util.function.BooleanSupplier;

/** The client for which a thread works. */
public final class Caller {
  private static final ThreadLocal<Caller> CURRENT = new ThreadLocal<>();

  private final BooleanSupplier gone;

  /** A client of a connection, which says whether the client has closed it. */
  Caller(BooleanSupplier gone) {
    this.gone = gone;
  }

  /** The client of this thread; null where none waits for the outcome. */
  static Caller current() {
    return CURRENT.get();
  }

  /** This thread works for the client from now on, or for nobody if it is null. */
  static void use(Caller caller) {
    if (caller == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(caller);
    }
  }

  /** Whether nobody waits for the answer any more. For any thread. */
  boolean hasGone() {
    return gone.getAsBoolean();
  }
}
