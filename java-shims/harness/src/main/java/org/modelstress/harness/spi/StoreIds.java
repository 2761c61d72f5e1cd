package org.modelstress.harness.spi;

import java.util.List;

/** Identifiers as the store names its elements, longs or strings, passed on without a copy. */
public sealed interface StoreIds {
  /** No identifiers. */
  StoreIds NONE = new Longs(new long[0], 0);

  /** How many identifiers there are. */
  int size();

  /** The first {@code size} entries of {@code values}. */
  record Longs(long[] values, int size) implements StoreIds {}

  /** Identifiers that are text. */
  record Strings(List<String> values) implements StoreIds {
    @Override
    public int size() {
      return values.size();
    }
  }
}
