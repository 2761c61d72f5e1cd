package org.modelstress.harness.client;

import java.util.concurrent.atomic.AtomicLong;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Options;

/**
 * What all threads of a client share.
 *
 * @param sessions how many were opened
 */
record Setup(
    Driver driver,
    Target target,
    Options options,
    boolean reuse,
    OperationPlan plan,
    Verifier verifier,
    Recorder recorder,
    Failures failures,
    AtomicLong sessions) {
  /** After the deadline, the time that a driver has to notice; then the same to obey. */
  static final long GRACE_MILLIS = 1000;

  static final long GRACE_NS = GRACE_MILLIS * 1_000_000;

  long timeoutNs() {
    return options.timeoutMillis() * 1_000_000;
  }
}
