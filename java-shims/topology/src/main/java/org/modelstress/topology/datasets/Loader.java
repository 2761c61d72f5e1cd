package org.modelstress.topology.datasets;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongConsumer;
import org.modelstress.topology.config.Domain;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.connection.ConnectionException;
import org.modelstress.topology.data.Oids;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Request;
import org.modelstress.topology.wire.Write;

/**
 * Distributes a dataset among the stores of a topology: every object to the domain that it belongs
 * to, and there to one of the domain's places, at random.
 */
public final class Loader implements Dataset.Objects {
  private static final int MANAGER = 0; // no object manager has this number
  private static final int AT_ONCE = 500;
  private static final long TIMEOUT_MILLIS = 60_000;
  private static final long SEED = 2009;

  private final Topology topology;
  private final Map<String, Connection> stores;
  private final LongConsumer progress;
  private final Random random = new Random(SEED);
  private final Map<String, ArrayList<Write>> waiting = new HashMap<>();
  private long added;

  /**
   * A loader.
   *
   * @param stores a connection to each, by name; not closed
   * @param progress is told how many objects there are
   */
  public Loader(Topology topology, Map<String, Connection> stores, LongConsumer progress) {
    this.topology = topology;
    this.stores = stores;
    this.progress = progress;
  }

  /** Writes all objects. */
  public void load(Dataset dataset) throws DatasetException {
    dataset.fill(this, new Random(SEED + 1));
    for (String store : List.copyOf(waiting.keySet())) {
      flush(store);
    }
    progress.accept(added);
  }

  @Override
  public long add(String typeName, Object... given) throws DatasetException {
    ObjectType type = topology.schema().type(typeName);
    if (type == null || type.attributes().size() != given.length) {
      throw new DatasetException(
          "the dataset has a "
              + typeName
              + " with "
              + given.length
              + " attributes, and the topology has no such type");
    }
    Object[] values = new Object[given.length];
    for (int place = 0; place < values.length; place++) {
      values[place] = type.attribute(place).type().of(given[place]);
    }
    Domain domain = domain(type, values);
    Set<String> place = domain.places().get(random.nextInt(domain.places().size()));
    int[] numbers = place.stream().mapToInt(topology.stores()::get).sorted().toArray();
    long oid = Oids.of(numbers[0], MANAGER, ++added);
    Write write =
        new Write(
            Write.Kind.INSERT,
            type.code(),
            oid,
            domain.code(),
            numbers,
            values,
            type.places(),
            0,
            0,
            new ArrayList<>());
    for (int number : numbers) {
      String store = topology.store(number);
      ArrayList<Write> writes = waiting.computeIfAbsent(store, name -> new ArrayList<>());
      writes.add(write.in(number));
      if (writes.size() >= AT_ONCE) {
        flush(store);
      }
    }
    return oid;
  }

  private Domain domain(ObjectType type, Object[] values) throws DatasetException {
    Domain domain = topology.domainOf(type, values);
    if (domain == null) {
      throw new DatasetException("no domain of the topology has such a " + type);
    }
    return domain;
  }

  private void flush(String store) throws DatasetException {
    ArrayList<Write> writes = waiting.put(store, new ArrayList<>());
    if (writes == null || writes.isEmpty()) {
      return;
    }
    try {
      Reply reply = stores.get(store).ask(new Request.Commit(writes), TIMEOUT_MILLIS);
      if (!Reply.Ended.COMMITTED.equals(reply)) {
        throw new DatasetException("store " + store + " did not take objects: " + reply);
      }
    } catch (ConnectionException e) {
      throw new DatasetException("store " + store + " did not take objects: " + e.getMessage());
    }
    progress.accept(added);
  }
}
