package org.modelstress.metadata.service;

import java.util.Collection;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.store.ObjectStore;

/** How updates of several clients keep out of each other's way. */
interface UpdateControl extends AutoCloseable {
  /**
   * Runs a transaction that makes new versions of objects.
   *
   * @param ids of these objects
   * @param work reads before it writes: where it fails by itself, it has written nothing
   */
  <T> T update(Collection<Long> ids, ObjectStore.Work<T> work) throws MetadataException;

  @Override
  default void close() {
    // most have nothing of their own
  }

  /**
   * The control of a word.
   *
   * @throws IllegalArgumentException where there is none
   */
  static UpdateControl of(String word, ObjectStore store, long timeoutMillis) {
    return switch (word) {
      case "service-lock" -> new LockControl(store, 1, timeoutMillis);
      case "object-locks" -> new LockControl(store, LockControl.STRIPES, timeoutMillis);
      case "transactions" -> new TransactionControl(store);
      case "queue" -> new QueueControl(store, timeoutMillis);
      default ->
          throw new IllegalArgumentException(
              "control: is " + word + "; it is service-lock, object-locks, transactions or queue");
    };
  }
}
