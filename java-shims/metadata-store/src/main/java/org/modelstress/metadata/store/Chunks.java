package org.modelstress.metadata.store;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataObject;

/** What of a large load is in the store: each chunk is noted in its own transaction. */
public final class Chunks {
  private static final long FIRST = -1;

  private final ObjectStore store;
  private final long firstId;
  private final Set<Long> there;

  private Chunks(ObjectStore store, long firstId, Set<Long> there) {
    this.store = store;
    this.firstId = firstId;
    this.there = there;
  }

  /**
   * Begins a load, or goes on with one.
   *
   * @param objects in all
   */
  public static Chunks begin(ObjectStore store, long objects) throws MetadataException {
    store.write(
        connection -> {
          connection.createNotes();
          return null;
        });
    List<long[]> notes = store.read(StoreConnection::notes);
    Set<Long> there = new HashSet<>();
    long firstId = 0;
    for (long[] note : notes) {
      if (note[0] == FIRST) {
        firstId = note[1];
      } else {
        there.add(note[0]);
      }
    }
    if (firstId == 0) {
      firstId =
          store.write(
              connection -> {
                long first = connection.takeIds(Schema.OBJECTS, objects);
                connection.note(FIRST, first);
                return first;
              });
    }
    return new Chunks(store, firstId, there);
  }

  /** Identifier of the first object of the load. */
  public long firstId() {
    return firstId;
  }

  /** Whether a chunk was there when the load began. */
  public boolean isThere(long chunk) {
    return there.contains(chunk);
  }

  /** Inserts the objects of a chunk. */
  public void insert(long chunk, List<MetadataObject> objects) throws MetadataException {
    store.write(
        connection -> {
          connection.note(chunk, objects.size());
          connection.insert(objects);
          return null;
        });
  }

  /** Forgets what was noted: the load is complete. */
  public void end() throws MetadataException {
    store.write(
        connection -> {
          connection.dropNotes();
          return null;
        });
  }
}
