package org.modelstress.harness.client;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.modelstress.harness.spi.Options;

/**
 * Makes every execution longer by a known share, which is waited before its clock stops: opening
 * and closing the session count, where they are timed. Statistics are held against it, since the
 * truth is known.
 *
 * @param percent of an execution; 0 waits for nothing
 */
record AddedWait(long percent) {
  /** Name of the driver option. */
  static final String NAME = "waited_percent";

  /** What the options ask for. */
  static AddedWait of(Options options) {
    return new AddedWait(options.number(NAME, 0));
  }

  /** The options without this one, which drivers do not know. */
  static Options without(Options options) {
    if (!options.values().containsKey(NAME)) {
      return options;
    }
    Map<String, Object> values = new LinkedHashMap<>(options.values());
    values.remove(NAME);
    return new Options(options.timeoutMillis(), values);
  }

  /**
   * Waits; whoever is interrupted, because the execution is late, waits no longer.
   *
   * @param begunNs when the execution began, on the monotonic clock; pauses in it added
   */
  void after(long begunNs) {
    if (percent <= 0) {
      return;
    }
    long now = System.nanoTime();
    long end = now + (now - begunNs) * percent / 100;
    while (now < end && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(end - now);
      now = System.nanoTime();
    }
  }
}
