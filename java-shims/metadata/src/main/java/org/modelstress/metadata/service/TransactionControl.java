package org.modelstress.metadata.service;

import java.util.Collection;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.store.ObjectStore;

/**
 * Transactions of the database alone, as the report proposes (section 5): of two that make the same
 * version, the primary key lets one commit.
 */
record TransactionControl(ObjectStore store) implements UpdateControl {
  @Override
  public <T> T update(Collection<Long> ids, ObjectStore.Work<T> work) throws MetadataException {
    return store.write(work);
  }
}
