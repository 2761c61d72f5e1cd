package org.modelstress.topology.manager;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.modelstress.topology.config.Domain;
import org.modelstress.topology.config.Part;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.Connection;
import org.modelstress.topology.data.ObjectState;
import org.modelstress.topology.data.Oids;
import org.modelstress.topology.query.Query;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.wire.Target;

/**
 * Where objects are, and by which connections they are reached (Free Data Objects, 6.9). Of several
 * connections to the same parts, a mesh, one is taken at random.
 */
final class Router {
  private final Topology topology;
  private final List<Connection> connections;
  private final Set<Part> reachable = new LinkedHashSet<>();
  private final RandomGenerator random;

  Router(Topology topology, List<Connection> connections, RandomGenerator random) {
    this.topology = topology;
    this.connections = List.copyOf(connections);
    this.random = random;
    connections.forEach(connection -> reachable.addAll(connection.imports()));
  }

  /** Where results of a query may be: in one store of each place of each domain that has some. */
  ArrayList<Target> targets(Query query, List<?> parameters) throws RoutingException {
    ArrayList<Target> targets = new ArrayList<>();
    boolean known = false;
    for (Domain domain : topology.domains()) {
      known |= domain.definition().containsKey(query.type());
      if (domain.mayHave(query.type(), query.condition(), parameters)) {
        for (Set<String> place : domain.places()) {
          targets.add(target(domain, anyStore(domain, place)));
        }
      }
    }
    if (!known) {
      throw new RoutingException("no domain has objects of type " + query.type());
    }
    return targets;
  }

  /** Where an object is looked for by its identifier: where it began, or else everywhere. */
  ArrayList<Target> targets(ObjectType type, long oid, boolean everywhere) throws RoutingException {
    String origin = topology.store(Oids.store(oid));
    ArrayList<Target> targets = new ArrayList<>();
    for (Domain domain : topology.domains()) {
      if (domain.definition().containsKey(type)) {
        Set<String> owner = everywhere || origin == null ? null : domain.place(origin);
        for (Set<String> place : owner == null ? domain.places() : List.of(owner)) {
          targets.add(target(domain, anyStore(domain, place)));
        }
      }
    }
    return targets;
  }

  /** A reachable store of a place, at random. */
  private String anyStore(Domain domain, Set<String> place) throws RoutingException {
    List<String> there = new ArrayList<>();
    for (String store : place) {
      if (reachable.contains(new Part(domain.name(), store))) {
        there.add(store);
      }
    }
    if (there.isEmpty()) {
      throw new RoutingException(
          "domain " + domain.name() + " is in " + place + ", and no connection imports any of it");
    }
    return there.get(there.size() == 1 ? 0 : random.nextInt(there.size()));
  }

  private Target target(Domain domain, String store) {
    return new Target(domain.code(), topology.stores().get(store));
  }

  /** The domain of an object that was read from a store. */
  Domain domainOf(ObjectType type, ObjectState state) throws RoutingException {
    String store = topology.store(state.store());
    for (Domain domain : topology.domains()) {
      if (domain.has(type, state.values()) && domain.place(store) != null) {
        return domain;
      }
    }
    throw new RoutingException(state + " was read from " + store + ", and no domain has it there");
  }

  /** The domain of a new object. */
  Domain domainOf(ObjectType type, Object[] values) throws RoutingException {
    Domain domain = topology.domainOf(type, values);
    if (domain == null) {
      throw new RoutingException("no domain has such objects of type " + type);
    }
    return domain;
  }

  /** The domain of all objects of a type; null where it has several. */
  Domain onlyDomain(ObjectType type) {
    Domain only = null;
    for (Domain domain : topology.domains()) {
      if (domain.definition().containsKey(type)) {
        if (only != null || domain.definition().get(type) != null) {
          return null;
        }
        only = domain;
      }
    }
    return only;
  }

  /** The place that gets a new object of a domain: of those that can be written, at random. */
  Set<String> placeOfNew(Domain domain) throws RoutingException {
    List<Set<String>> writable = new ArrayList<>();
    for (Set<String> place : domain.places()) {
      if (isWritable(domain, place)) {
        writable.add(place);
      }
    }
    if (writable.isEmpty()) {
      throw readOnly(domain);
    }
    return writable.get(random.nextInt(writable.size()));
  }

  /** The stores in which an object that was read from one of them is written. */
  int[] storesOf(Domain domain, Set<String> place) throws RoutingException {
    if (!isWritable(domain, place)) {
      throw readOnly(domain);
    }
    return place.stream().mapToInt(topology.stores()::get).sorted().toArray();
  }

  /** Whether all stores of a place can be reached. */
  boolean isWritable(Domain domain, Set<String> place) {
    return place.stream().allMatch(store -> reachable.contains(new Part(domain.name(), store)));
  }

  private static RoutingException readOnly(Domain domain) {
    return new RoutingException(
        "domain "
            + domain.name()
            + " can only be read here: every object of "
            + domain.tree()
            + " is in all stores of its place, and not all of them are imported");
  }

  /** The parts of some targets. */
  Set<Part> parts(Collection<Target> targets) throws RoutingException {
    Set<Part> parts = new LinkedHashSet<>();
    for (Target target : targets) {
      parts.add(part(target.domain(), target.store()));
    }
    return parts;
  }

  /** The part of a domain's code and a store's number. */
  Part part(int domain, int store) throws RoutingException {
    Domain known = topology.domain(domain);
    String name = topology.store(store);
    if (known == null || name == null || !known.tree().stores().contains(name)) {
      throw new RoutingException("there is no store " + store + " of a domain with code " + domain);
    }
    return new Part(known.name(), name);
  }

  /**
   * Parts by the connections that are asked about them: one where one has all, else as few as are
   * found by taking the one with most each time.
   *
   * @param parts to be reached
   * @param without connections that have failed
   */
  Map<Connection, Set<Part>> connections(Set<Part> parts, Set<Connection> without)
      throws RoutingException {
    Map<Connection, Set<Part>> chosen = new LinkedHashMap<>();
    Set<Part> left = new LinkedHashSet<>(parts);
    while (!left.isEmpty()) {
      Connection best = best(left, without);
      Set<Part> its = new LinkedHashSet<>(left);
      its.retainAll(best.imports());
      chosen.put(best, its);
      left.removeAll(its);
    }
    return chosen;
  }

  /** A connection that imports something of a store. */
  Connection connectionTo(int store) throws RoutingException {
    String name = topology.store(store);
    List<Connection> there =
        connections.stream()
            .filter(c -> c.imports().stream().anyMatch(part -> part.store().equals(name)))
            .toList();
    if (there.isEmpty()) {
      throw new RoutingException("no connection leads to store " + store);
    }
    return there.get(there.size() == 1 ? 0 : random.nextInt(there.size()));
  }

  private Connection best(Set<Part> parts, Set<Connection> without) throws RoutingException {
    List<Connection> best = new ArrayList<>();
    long most = 1;
    for (Connection connection : connections) {
      if (!without.contains(connection)) {
        long count = parts.stream().filter(connection.imports()::contains).count();
        if (count > most) {
          best.clear();
          most = count;
        }
        if (count == most) {
          best.add(connection);
        }
      }
    }
    if (best.isEmpty()) {
      throw new RoutingException(
          without.isEmpty()
              ? "no connection imports any of " + parts
              : "every connection to " + parts + " has failed");
    }
    return best.get(best.size() == 1 ? 0 : random.nextInt(best.size()));
  }
}
