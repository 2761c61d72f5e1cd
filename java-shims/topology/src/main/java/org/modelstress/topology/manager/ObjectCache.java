package org.modelstress.topology.manager;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.TimeUnit;
import org.modelstress.topology.data.ObjectState;

/** Objects by their identifiers, with the time when they were asked for. */
final class ObjectCache {
  private record Entry(ObjectState state, long askedNs) {}

  private final Cache<Long, Entry> entries;

  ObjectCache(int most) {
    entries = Caffeine.newBuilder().maximumSize(most).build();
  }

  /** An object that was asked for at most so long ago; null where there is none. */
  ObjectState get(long oid, long freshMillis) {
    if (freshMillis <= 0) {
      return null;
    }
    Entry entry = entries.getIfPresent(oid);
    if (entry == null) {
      return null;
    }
    boolean fresh =
        freshMillis == Long.MAX_VALUE
            || System.nanoTime() - entry.askedNs() <= TimeUnit.MILLISECONDS.toNanos(freshMillis);
    return fresh ? entry.state() : null;
  }

  /** Keeps an object that was asked for at this time, unless a later one is there. */
  void put(ObjectState state, long askedNs) {
    entries
        .asMap()
        .merge(
            state.oid(),
            new Entry(state, askedNs),
            (known, added) -> known.askedNs() - added.askedNs() > 0 ? known : added);
  }

  /** Forgets an object that was written. */
  void forget(long oid) {
    entries.invalidate(oid);
  }
}
