package org.modelstress.metadata.population;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.modelstress.metadata.objects.Attribute;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataException.Reason;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ObjectType;
import org.modelstress.metadata.store.Chunks;
import org.modelstress.metadata.store.Ids;
import org.modelstress.metadata.store.NewType;
import org.modelstress.metadata.store.ObjectStore;

/**
 * Fills a store with a population, in chunks of which the store keeps which are there: a loader
 * that was interrupted goes on.
 */
public final class PopulationLoader {
  private static final int CONNECTIONS = 4;

  private static final int THREADS = 2;
  private static final int CHUNK = 1_000;

  private final ObjectStore store;
  private final int attributes;

  private PopulationLoader(ObjectStore store, int attributes) {
    this.store = store;
    this.attributes = attributes;
  }

  /**
   * Makes the tables that are missing and loads the objects that are missing.
   *
   * @param url for JDBC
   * @param layout {@code rows} or {@code document}
   * @param indexes whether there are indexes beside the primary keys
   * @param attributes of each object
   * @param progress told how many objects are there
   */
  public static void load(
      String url,
      String layout,
      boolean indexes,
      int attributes,
      PopulationDataset dataset,
      LongConsumer progress)
      throws MetadataException, SQLException {
    ObjectStore.create(url, layout, indexes);
    try (ObjectStore store = ObjectStore.of(url, layout, CONNECTIONS)) {
      new PopulationLoader(store, attributes).load(dataset, progress);
    }
    if (dataset.objects() > 0) {
      ObjectStore.analyze(url, layout); // else plans change once the database has seen its data
    }
  }

  private void load(PopulationDataset dataset, LongConsumer progress) throws MetadataException {
    ObjectType type = type(Content.type(attributes), Content.attributes(attributes));
    Chunks chunks = Chunks.begin(store, dataset.objects());
    AtomicLong there = new AtomicLong();
    AtomicLong next = new AtomicLong();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Void>> running = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        running.add(
            threads.submit(
                () -> {
                  fill(dataset, type, chunks, next, done -> progress.accept(there.addAndGet(done)));
                  return null;
                }));
      }
      for (Future<Void> each : running) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof MetadataException known
          ? known
          : new MetadataException(Reason.FAILED, "loading failed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MetadataException(Reason.FAILED, "loading was interrupted", e);
    } finally {
      threads.shutdownNow();
    }
    if (dataset.objects() > 0 && NewType.find(store, Population.TYPE) == null) {
      tell(new Population(chunks.firstId(), dataset.objects(), attributes));
    }
    chunks.end();
    progress.accept(dataset.objects());
  }

  private ObjectType type(String name, List<Attribute> definition) throws MetadataException {
    ObjectType known = NewType.find(store, name);
    return known == null ? NewType.create(store, name, definition) : known;
  }

  private void tell(Population population) throws MetadataException {
    long id = Ids.take(store, 1);
    ObjectType type = NewType.create(store, Population.TYPE, Population.definition());
    MetadataObject object = new MetadataObject(id, 1, type, type.copied(population.values()));
    store.write(
        connection -> {
          connection.insert(List.of(object));
          return null;
        });
  }

  private void fill(
      PopulationDataset dataset, ObjectType type, Chunks chunks, AtomicLong next, LongConsumer done)
      throws MetadataException {
    while (true) {
      long chunk = next.getAndIncrement();
      long from = chunk * CHUNK;
      if (from >= dataset.objects()) {
        return;
      }
      long to = Math.min(dataset.objects(), from + CHUNK);
      if (!chunks.isThere(chunk)) {
        List<MetadataObject> objects = new ArrayList<>(CHUNK);
        for (long key = from; key < to; key++) {
          objects.add(
              new MetadataObject(
                  chunks.firstId() + key,
                  1,
                  type,
                  type.copied(Content.values(key, 1, attributes))));
        }
        chunks.insert(chunk, objects);
      }
      done.accept(to - from);
    }
  }
}
