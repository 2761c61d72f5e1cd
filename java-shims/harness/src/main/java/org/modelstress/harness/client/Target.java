package org.modelstress.harness.client;

import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.modelstress.harness.spi.Endpoints;

/** Where the load goes, and whether it is held back while the server is being restarted. */
final class Target {
  private static final long LOOK_NS = 5_000_000;

  private volatile Endpoints endpoints;
  private volatile boolean held;

  Target(Endpoints endpoints) {
    this.endpoints = endpoints;
  }

  /** Present addresses; after a restart another object, even where they are the same. */
  Endpoints endpoints() {
    return endpoints;
  }

  boolean held() {
    return held;
  }

  void hold() {
    held = true;
  }

  /** Goes on with what becomes of the addresses; it stays held when that throws. */
  void release(UnaryOperator<Endpoints> restarted) {
    endpoints = restarted.apply(endpoints);
    held = false;
  }

  /** Waits while the load is held; false when the stage is over before. */
  boolean await(Stage stage) {
    while (held && !stage.isOver()) {
      LockSupport.parkNanos(LOOK_NS);
    }
    return !held;
  }
}
