package org.modelstress.topology.manager;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.modelstress.topology.config.Domain;
import org.modelstress.topology.connection.ConnectionException;
import org.modelstress.topology.data.ObjectState;
import org.modelstress.topology.query.Query;
import org.modelstress.topology.query.QueryException;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.wire.Reply.End;
import org.modelstress.topology.wire.Reply.Ended;
import org.modelstress.topology.wire.Request;
import org.modelstress.topology.wire.Write;

/**
 * A transaction of an application (Free Data Objects, 5.7 and 6.5). Reads are repeatable: an object
 * that was read stays as it was read, in queries too, but for what the transaction itself writes.
 * Writes are kept until {@link #commit()}, which checks that nobody else wrote the same objects.
 * What was only read is not checked: two transactions that each read what the other one writes can
 * both end (write skew).
 *
 * <p>One thread uses it.
 */
public final class Transaction implements AutoCloseable {
  private final ObjectManager manager;
  private final long timeoutMillis;
  private final Map<Long, DataObject> objects = new HashMap<>();
  private long freshMillis = Long.MAX_VALUE;
  private boolean over;

  Transaction(ObjectManager manager, long timeoutMillis) {
    this.manager = manager;
    this.timeoutMillis = timeoutMillis;
  }

  /**
   * How long ago an object that a reference leads to may have been read from its store, when it
   * comes from a cache: a freshness requirement. By default it does not matter.
   *
   * @param millis 0: it is read anew, by every process on the way
   */
  public Transaction fresh(long millis) {
    freshMillis = millis;
    return this;
  }

  /**
   * The objects that a query selects, in its order. Objects that this transaction has inserted,
   * changed or deleted are as it left them.
   *
   * @param text {@code SELECT FROM Type WHERE … ORDER BY …}
   * @param parameters of its question marks
   * @throws TransactionException where it cannot be answered
   */
  public List<DataObject> query(String text, Object... parameters) throws TransactionException {
    active();
    try {
      Query query = manager.queries().get(text);
      ArrayList<Object> given = parameters(query, parameters);
      Request.Find find = new Request.Find(text, given, manager.targets(query, given));
      List<DataObject> found = new ArrayList<>();
      for (ObjectState state : manager.find(find, timeoutMillis)) {
        DataObject object = known(query.type(), state);
        if (!object.isDeleted() && (object.isClean() || query.selects(object.values(), given))) {
          found.add(object);
        }
      }
      return withOwn(query, given, found);
    } catch (QueryException | RoutingException | IllegalArgumentException e) {
      throw new TransactionException(End.UNREACHABLE, e.getMessage(), e);
    } catch (ConnectionException e) {
      throw TransactionException.of(e);
    }
  }

  private static ArrayList<Object> parameters(Query query, Object[] parameters)
      throws QueryException {
    if (query.parameters() != parameters.length) {
      throw new QueryException(
          "the query has "
              + query.parameters()
              + " question marks, and there are "
              + parameters.length
              + " parameters");
    }
    return new ArrayList<>(Arrays.asList(parameters));
  }

  /** With what the transaction itself has written and the query selects. */
  private List<DataObject> withOwn(Query query, List<?> given, List<DataObject> found) {
    List<DataObject> own = new ArrayList<>();
    for (DataObject object : objects.values()) {
      if (object.type() == query.type()
          && !object.isClean()
          && !object.isDeleted()
          && query.selects(object.values(), given)
          && !found.contains(object)) {
        own.add(object);
      }
    }
    boolean changed = !own.isEmpty() || found.stream().anyMatch(object -> !object.isClean());
    found.addAll(own);
    if (changed && !query.order().isEmpty()) {
      found.sort((a, b) -> query.compare(a.state(), b.state()));
    }
    return found;
  }

  /** The transaction's own view of an object that was read. */
  private DataObject known(ObjectType type, ObjectState state) {
    return objects.computeIfAbsent(state.oid(), oid -> new DataObject(this, type, state, false));
  }

  /**
   * The object that a reference leads to; null where it is not there.
   *
   * @throws TransactionException where it cannot be read
   */
  public DataObject get(ObjectType type, long oid) throws TransactionException {
    active();
    DataObject known = objects.get(oid);
    if (known != null) {
      return known.isDeleted() ? null : known;
    }
    ObjectState state = manager.cached(oid, freshMillis);
    if (state == null) {
      state = fetch(type, oid, freshMillis);
    }
    return state == null ? null : known(type, state);
  }

  /**
   * Reads an object anew that was read before, unless the transaction has written to it: from here
   * on it is what it is now. (Free Data Objects, 7.7.1: hotspots are reloaded before their use.)
   *
   * @throws TransactionException where it cannot be read, or is not there any more
   */
  public void reload(DataObject object) throws TransactionException {
    active();
    if (!object.isClean()) {
      throw new IllegalStateException("what was written cannot be read anew: " + object);
    }
    ObjectState state = fetch(object.type(), object.oid(), 0);
    if (state == null) {
      throw new TransactionException(End.VERSION, object + " is not there any more", null);
    }
    object.readAgain(state);
  }

  private ObjectState fetch(ObjectType type, long oid, long fresh) throws TransactionException {
    try {
      for (boolean everywhere : new boolean[] {false, true}) {
        Request.Fetch fetch =
            new Request.Fetch(
                type.code(),
                new long[] {oid},
                fresh,
                manager.router().targets(type, oid, everywhere));
        List<ObjectState> found = manager.fetch(fetch, timeoutMillis);
        if (!found.isEmpty()) {
          return found.get(0);
        }
      }
      return null;
    } catch (RoutingException | IllegalArgumentException e) {
      throw new TransactionException(End.UNREACHABLE, e.getMessage(), e);
    } catch (ConnectionException e) {
      throw TransactionException.of(e);
    }
  }

  /** Whether an object that was read can be written: all stores that it is in are imported here. */
  public boolean isWritable(DataObject object) {
    Router router = manager.router();
    try {
      Domain domain = router.domainOf(object.type(), object.read());
      String store = manager.topology().store(object.read().store());
      return router.isWritable(domain, domain.place(store));
    } catch (RoutingException e) {
      return object.isNew();
    }
  }

  /**
   * A new object, whose attributes are to be set before the commit.
   *
   * @param type of the object
   * @throws TransactionException where such objects can only be read here
   */
  public DataObject insert(ObjectType type) throws TransactionException {
    active();
    try {
      // of a type with several domains, the store is known once the attributes are
      Domain domain = manager.router().onlyDomain(type);
      Set<String> place = domain == null ? Set.of() : manager.router().placeOfNew(domain);
      int store = place.stream().mapToInt(manager.topology().stores()::get).min().orElse(0);
      long oid = manager.oids().next(store);
      Object[] values = new Object[type.attributes().size()];
      DataObject object =
          new DataObject(this, type, new ObjectState(type.code(), oid, 0, store, values), true);
      objects.put(oid, object);
      return object;
    } catch (RoutingException e) {
      throw new TransactionException(End.UNREACHABLE, e.getMessage(), e);
    }
  }

  /**
   * Ends the transaction with all its writes, or none of them.
   *
   * @throws TransactionException saying why it was aborted, or that its end is not known
   */
  public void commit() throws TransactionException {
    active();
    over = true;
    ArrayList<Write> writes = new ArrayList<>();
    try {
      for (DataObject object : objects.values()) {
        if (!object.isClean() && !(object.isNew() && object.isDeleted())) {
          writes.add(write(object));
        }
      }
      // in one order everywhere, so that no two transactions wait for one another
      writes.sort(Comparator.comparingInt(Write::type).thenComparingLong(Write::oid));
      Ended ended = manager.commit(writes, timeoutMillis);
      if (ended.end() != End.COMMITTED) {
        throw new TransactionException(ended.end(), ended.message(), null);
      }
    } catch (RoutingException | IllegalArgumentException e) {
      throw new TransactionException(End.UNREACHABLE, e.getMessage(), e);
    }
  }

  private Write write(DataObject object) throws RoutingException {
    Router router = manager.router();
    if (object.isNew()) {
      Domain domain = router.domainOf(object.type(), object.values());
      String begun = manager.topology().store(object.read().store());
      Set<String> place = begun == null ? router.placeOfNew(domain) : domain.place(begun);
      return object.write(domain.code(), router.storesOf(domain, place));
    }
    Domain domain = manager.domainOf(object.read());
    Set<String> place = domain.place(manager.topology().store(object.read().store()));
    if (!object.isDeleted() && !domain.has(object.type(), object.values())) {
      throw new RoutingException(
          object + " would leave domain " + domain.name() + "; delete it and insert another one");
    }
    return object.write(domain.code(), router.storesOf(domain, place));
  }

  /** Ends the transaction without its writes; nothing where it has ended. */
  public void rollback() {
    over = true;
    objects.clear();
  }

  /** As {@link #rollback()}. */
  @Override
  public void close() {
    rollback();
  }

  void active() {
    if (over) {
      throw new IllegalStateException("the transaction has ended");
    }
  }

  ObjectManager manager() {
    return manager;
  }
}
