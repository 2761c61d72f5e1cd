package org.modelstress.topology.manager;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.modelstress.topology.config.Domain;
import org.modelstress.topology.config.Part;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.connection.ConnectionException;
import org.modelstress.topology.data.ObjectState;
import org.modelstress.topology.data.Oids;
import org.modelstress.topology.query.Queries;
import org.modelstress.topology.query.Query;
import org.modelstress.topology.query.QueryException;
import org.modelstress.topology.wire.Branch;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Reply.Ended;
import org.modelstress.topology.wire.Request;
import org.modelstress.topology.wire.Target;
import org.modelstress.topology.wire.Write;

/**
 * The object manager of a process: routes what its application, or its clients, ask for to servers
 * and stores, merges what comes back, and ends transactions (Free Data Objects, chapter 6). In a
 * server it is also what answers its clients: a tier is an object manager that others ask.
 */
public final class ObjectManager implements AutoCloseable {
  /** How long a request may take, unless its transaction says otherwise. */
  static final long TIMEOUT_MILLIS = 60_000;

  private final Topology topology;
  private final Router router;
  private final Queries queries;
  private final ObjectCache cache;
  private final Oids oids;
  private final Exchanges exchanges;
  private final Coordinator coordinator;

  /**
   * Makes an object manager.
   *
   * @param topology of its application
   * @param id its number, which no other one has
   * @param cached objects that it keeps at most
   * @param connections to servers and stores, which it closes at its end
   * @param coordinator of transactions on several of them
   */
  public ObjectManager(
      Topology topology,
      int id,
      int cached,
      List<Connection> connections,
      Coordinator coordinator) {
    this.topology = topology;
    this.router = new Router(topology, connections, ThreadLocalRandom.current());
    this.queries = new Queries(topology.schema());
    this.cache = new ObjectCache(cached);
    this.oids = new Oids(id);
    this.exchanges = new Exchanges(router, connections);
    this.coordinator = coordinator;
  }

  /** Begins a transaction. */
  public Transaction begin() {
    return new Transaction(this, TIMEOUT_MILLIS);
  }

  /** Begins a transaction of which each request takes so long at most. */
  public Transaction begin(long timeoutMillis) {
    return new Transaction(this, timeoutMillis);
  }

  /** The types, domains and stores of the application. */
  public Topology topology() {
    return topology;
  }

  Router router() {
    return router;
  }

  Queries queries() {
    return queries;
  }

  Oids oids() {
    return oids;
  }

  /** Answers a request of a client; never throws. */
  public Reply answer(Request request, long timeoutMillis) {
    try {
      if (request instanceof Request.Find find) {
        return new Reply.Objects(find(find, timeoutMillis));
      }
      if (request instanceof Request.Fetch fetch) {
        return new Reply.Objects(fetch(fetch, timeoutMillis));
      }
      if (request instanceof Request.Commit commit) {
        return commit(commit.writes(), timeoutMillis);
      }
      if (request instanceof Request.Prepare prepare) {
        return prepare(prepare, timeoutMillis);
      }
      if (request instanceof Request.Finish finish) {
        return finish(finish, timeoutMillis);
      }
      return inDoubt((Request.InDoubt) request, timeoutMillis);
    } catch (QueryException | RoutingException | IllegalArgumentException e) {
      return new Reply.Failed(false, e.getMessage());
    } catch (ConnectionException e) {
      return new Reply.Failed(!e.sent(), e.getMessage());
    }
  }

  /** The results of a query in some places, in its order; those of several places are merged. */
  ArrayList<ObjectState> find(Request.Find find, long timeoutMillis)
      throws QueryException, RoutingException, ConnectionException {
    Query query = queries.get(find.query());
    long asked = System.nanoTime();
    List<ArrayList<ObjectState>> found =
        exchanges.read(
            find.targets(),
            some -> new Request.Find(find.query(), find.parameters(), some),
            timeoutMillis);
    ArrayList<ObjectState> all = merged(found, query);
    all.forEach(state -> cache.put(state, asked));
    return all;
  }

  private static ArrayList<ObjectState> merged(List<ArrayList<ObjectState>> found, Query query) {
    if (found.size() == 1) {
      return found.get(0);
    }
    ArrayList<ObjectState> all = new ArrayList<>();
    found.forEach(all::addAll);
    if (!query.order().isEmpty()) {
      all.sort(query::compare);
    }
    return all;
  }

  /** Objects by their identifiers, from the cache where they are fresh enough. */
  ArrayList<ObjectState> fetch(Request.Fetch fetch, long timeoutMillis)
      throws RoutingException, ConnectionException {
    ArrayList<ObjectState> found = new ArrayList<>();
    long[] missing = new long[fetch.oids().length];
    int count = 0;
    for (long oid : fetch.oids()) {
      ObjectState cached = cache.get(oid, fetch.freshMillis());
      if (cached != null) {
        found.add(cached);
      } else {
        missing[count++] = oid;
      }
    }
    if (count > 0) {
      long[] rest = Arrays.copyOf(missing, count);
      long asked = System.nanoTime();
      for (ArrayList<ObjectState> some :
          exchanges.read(
              fetch.targets(),
              targets -> new Request.Fetch(fetch.type(), rest, fetch.freshMillis(), targets),
              timeoutMillis)) {
        some.forEach(state -> cache.put(state, asked));
        found.addAll(some);
      }
    }
    return found;
  }

  /**
   * Ends a transaction: by whoever reaches all stores that it writes to, if one connection does
   * (coordinator transfer; at a store: one-phase commit), else by two phases from here.
   */
  Ended commit(ArrayList<Write> writes, long timeoutMillis) throws RoutingException {
    if (writes.isEmpty()) {
      return Ended.COMMITTED;
    }
    try {
      Map<Connection, Set<Part>> parts = exchanges.participants(partsOf(writes));
      return parts.size() == 1
          ? exchanges.transfer(writes, partsOf(writes), timeoutMillis)
          : coordinator.commit(split(writes, parts), timeoutMillis);
    } finally {
      writes.forEach(write -> cache.forget(write.oid()));
    }
  }

  private Set<Part> partsOf(Collection<Write> writes) throws RoutingException {
    Set<Part> parts = new HashSet<>();
    for (Write write : writes) {
      for (int store : write.stores()) {
        parts.add(router.part(write.domain(), store));
      }
    }
    return parts;
  }

  /**
   * The writes of each connection, in the stores that it leads to. Connections are in the order of
   * their stores in every process: no two transactions wait for one another in two stores.
   */
  private Map<Connection, ArrayList<Write>> split(
      Collection<Write> writes, Map<Connection, Set<Part>> parts) throws RoutingException {
    Map<Connection, ArrayList<Write>> split = new LinkedHashMap<>();
    List<Map.Entry<Connection, Set<Part>>> ordered = new ArrayList<>(parts.entrySet());
    ordered.sort(Comparator.comparingInt(entry -> firstStore(entry.getValue())));
    for (Map.Entry<Connection, Set<Part>> entry : ordered) {
      ArrayList<Write> its = new ArrayList<>();
      for (Write write : writes) {
        int[] stores = new int[write.stores().length];
        int count = 0;
        for (int store : write.stores()) {
          if (entry.getValue().contains(router.part(write.domain(), store))) {
            stores[count++] = store;
          }
        }
        if (count > 0) {
          its.add(write.in(Arrays.copyOf(stores, count)));
        }
      }
      split.put(entry.getKey(), its);
    }
    return split;
  }

  private int firstStore(Set<Part> parts) {
    return parts.stream().mapToInt(part -> topology.stores().get(part.store())).min().orElse(0);
  }

  private Ended prepare(Request.Prepare prepare, long timeoutMillis) throws RoutingException {
    Map<Connection, Set<Part>> parts = exchanges.participants(partsOf(prepare.writes()));
    Map<Connection, ArrayList<Write>> split = split(prepare.writes(), parts);
    try {
      return exchanges.prepare(prepare.branch(), split, timeoutMillis);
    } finally {
      prepare.writes().forEach(write -> cache.forget(write.oid()));
    }
  }

  private Reply finish(Request.Finish finish, long timeoutMillis)
      throws RoutingException, ConnectionException {
    for (Map.Entry<Connection, int[]> entry : exchanges.byStore(finish.stores()).entrySet()) {
      Request to = new Request.Finish(finish.branch(), entry.getValue(), finish.commit());
      Reply reply = entry.getKey().ask(to, timeoutMillis);
      if (!(reply instanceof Reply.Done)) {
        return reply;
      }
    }
    return new Reply.Done();
  }

  private Reply inDoubt(Request.InDoubt inDoubt, long timeoutMillis)
      throws RoutingException, ConnectionException {
    Set<Branch> branches = new HashSet<>();
    for (Map.Entry<Connection, int[]> entry : exchanges.byStore(inDoubt.stores()).entrySet()) {
      Reply reply = entry.getKey().ask(new Request.InDoubt(entry.getValue()), timeoutMillis);
      if (!(reply instanceof Reply.Branches some)) {
        return reply;
      }
      branches.addAll(some.branches());
    }
    return new Reply.Branches(new ArrayList<>(branches));
  }

  ObjectState cached(long oid, long freshMillis) {
    return cache.get(oid, freshMillis);
  }

  /** Where a query of the application is sent. */
  ArrayList<Target> targets(Query query, List<?> parameters) throws RoutingException {
    return router.targets(query, parameters);
  }

  Domain domainOf(ObjectState state) throws RoutingException {
    return router.domainOf(topology.schema().type(state.type()), state);
  }

  @Override
  public void close() {
    coordinator.close();
    exchanges.close();
  }
}
