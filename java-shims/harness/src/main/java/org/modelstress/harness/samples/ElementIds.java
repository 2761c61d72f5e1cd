package org.modelstress.harness.samples;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * From store identifiers to element indices. Whole numbers live in an open-addressing table of
 * primitives, so that a look-up allocates nothing. Immutable, for any number of threads.
 */
public final class ElementIds {
  /** Answer for an identifier that is not known. */
  public static final long UNKNOWN = -1;

  private final long[] keys;
  private final long[] indices;
  private final Map<String, Long> texts;

  private ElementIds(int records, boolean text) {
    // at most half full, so that probes stay short
    int capacity = text ? 2 : Integer.highestOneBit(Math.max(records, 1)) * 4;
    this.keys = new long[capacity];
    this.indices = new long[capacity];
    this.texts = text ? new HashMap<>(records * 2) : Map.of();
    Arrays.fill(indices, UNKNOWN);
  }

  static ElementIds from(MssfReader reader, Path file) throws IOException {
    Column id = reader.column("id");
    Column index = reader.column("index");
    if (reader.records() > 1 << 28) {
      throw new IOException(file + ": more than " + (1 << 28) + " identifiers");
    }
    boolean text = id.dictionary() != null;
    ElementIds ids = new ElementIds((int) reader.records(), text);
    for (long i = 0; i < reader.records(); i++) {
      long element = reader.value(index, i);
      boolean added =
          text
              ? ids.texts.put(reader.text(id, i), element) == null
              : ids.add(reader.value(id, i), element);
      if (!added || element < 0) {
        String name = text ? reader.text(id, i) : Long.toString(reader.value(id, i));
        throw new IOException(
            file + ": identifier " + name + (added ? " has a negative index" : " occurs twice"));
      }
    }
    return ids;
  }

  private boolean add(long id, long index) {
    int slot = slot(id);
    if (indices[slot] != UNKNOWN) {
      return false;
    }
    keys[slot] = id;
    indices[slot] = index;
    return true;
  }

  private int slot(long id) {
    int mask = keys.length - 1;
    int slot = (int) Digest.mix(id) & mask;
    while (indices[slot] != UNKNOWN && keys[slot] != id) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Index of the element with this identifier, or {@link #UNKNOWN}. */
  public long indexOf(long id) {
    return indices[slot(id)];
  }

  /** Index of the element with this identifier, or {@link #UNKNOWN}. */
  public long indexOf(String id) {
    Long index = texts.get(id);
    return index == null ? UNKNOWN : index;
  }
}
