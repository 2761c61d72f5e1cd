package org.modelstress.harness.spi;

import java.util.List;

/** Identifiers as the store names its elements, longs or strings, passed on without a copy. */
public sealed interface Ids extends Result {
  /** No identifiers. */
  Ids NONE = new Longs(new long[0], 0);

  /** How many identifiers there are. */
  int size();

  @Override
  default int items() {
    return size();
  }

  /** The first {@code size} entries of {@code values}. */
  record Longs(long[] values, int size) implements Ids {}

  /** Identifiers that are text. */
  record Strings(List<String> values) implements Ids {
    @Override
    public int size() {
      return values.size();
    }
  }
}
