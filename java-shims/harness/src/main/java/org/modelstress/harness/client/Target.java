package org.modelstress.harness.client;

import java.util.concurrent.locks.LockSupport;
import org.modelstress.harness.spi.Endpoint;

/** Where the load goes, and whether it is held back while the server is being restarted. */
final class Target {
  private static final long LOOK_NS = 5_000_000;

  private volatile Endpoint endpoint;
  private volatile boolean held;

  Target(Endpoint endpoint) {
    this.endpoint = endpoint;
  }

  /** Present address; after a restart another object, even where the address is the same. */
  Endpoint endpoint() {
    return endpoint;
  }

  boolean held() {
    return held;
  }

  void hold() {
    held = true;
  }

  void release(Endpoint restarted) {
    endpoint = restarted;
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
