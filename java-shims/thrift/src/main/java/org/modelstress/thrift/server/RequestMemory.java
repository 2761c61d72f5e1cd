package org.modelstress.thrift.server;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What all large requests of a server together may hold. A request of up to {@link #SMALL} bytes
 * needs none of it, so that honest queries come through while others hold all of it.
 */
final class RequestMemory {
  /** Bytes of a request that are not counted. */
  static final int SMALL = 64 * 1024;

  private static final int PART_OF_HEAP = 64;

  private final AtomicLong left;

  RequestMemory(ApiOptions options) {
    long most =
        Math.max(2L * options.maxRequestBytes(), Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
    left = new AtomicLong(most);
  }

  /** Takes so many bytes, all or none of them. */
  boolean take(long bytes) {
    if (left.addAndGet(-bytes) >= 0) {
      return true;
    }
    left.addAndGet(bytes);
    return false;
  }

  /** Gives bytes that were taken back. */
  void giveBack(long bytes) {
    left.addAndGet(bytes);
  }
}
