package org.modelstress.metadata.store;

import org.modelstress.metadata.objects.MetadataException;

/** Identifiers of new objects: taken from the store in blocks, so that processes do not meet. */
public final class Ids {
  private static final long BLOCK = 1_000;

  private final ObjectStore store;
  private long next;
  private long end;

  /** Identifiers of a store. */
  public Ids(ObjectStore store) {
    this.store = store;
  }

  /** The identifier of a new object. */
  public synchronized long next() throws MetadataException {
    if (next == end) {
      next = take(store, BLOCK);
      end = next + BLOCK;
    }
    return next++;
  }

  /** The first of so many identifiers in a row. */
  public static long take(ObjectStore store, long count) throws MetadataException {
    return take(store, Schema.OBJECTS, count);
  }

  /** The identifier of a new type. */
  public static long ofType(ObjectStore store) throws MetadataException {
    return take(store, Schema.TYPES, 1);
  }

  private static long take(ObjectStore store, String counter, long count) throws MetadataException {
    // somebody else takes some at the same moment; the database lets one of both wait, or try again
    for (int tries = 1; ; tries++) {
      try {
        return store.write(connection -> connection.takeIds(counter, count));
      } catch (MetadataException e) {
        if (e.reason() != MetadataException.Reason.CONFLICT || tries == 10) {
          throw e;
        }
      }
    }
  }
}
