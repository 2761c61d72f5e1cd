package org.modelstress.topology.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.schema.Schema;

/** Everything that a configuration file says: the same for all processes of an application. */
public final class Topology {
  private final Schema schema;
  private final Map<String, Integer> stores;
  private final Map<Integer, String> storeNames = new HashMap<>();
  private final Map<String, Domain> domains = new LinkedHashMap<>();
  private final Map<Integer, Domain> domainsByCode = new HashMap<>();
  private final Map<String, ManagerConfig> managers = new LinkedHashMap<>();
  private final Map<String, Set<String>> applications;

  Topology(
      Schema schema,
      Map<String, Integer> stores,
      Map<String, Set<String>> applications,
      Collection<Domain> domains,
      Collection<ManagerConfig> managers) {
    this.schema = schema;
    this.applications = Collections.unmodifiableMap(new LinkedHashMap<>(applications));
    this.stores = Map.copyOf(stores);
    stores.forEach((name, number) -> storeNames.put(number, name));
    for (Domain domain : domains) {
      this.domains.put(domain.name(), domain);
      domainsByCode.put(domain.code(), domain);
    }
    for (ManagerConfig manager : managers) {
      this.managers.put(manager.name(), manager);
    }
  }

  /**
   * Stores of applications that were made apart from one another, by their names and in the order
   * of the file; empty where there is one application.
   */
  public Map<String, Set<String>> applications() {
    return applications;
  }

  /**
   * As an application sees it that knows of no other one: objects are in its stores only.
   *
   * @param application null: all there is
   */
  public Topology seenBy(String application) {
    if (application == null) {
      return this;
    }
    Set<String> its = applications.get(application);
    List<Domain> seen = new ArrayList<>();
    for (Domain domain : domains.values()) {
      List<Set<String>> places = domain.places().stream().filter(its::containsAll).toList();
      if (!places.isEmpty()) {
        seen.add(
            new Domain(domain.name(), domain.code(), domain.definition(), domain.tree(), places));
      }
    }
    return new Topology(schema, stores, applications, seen, managers.values());
  }

  /** The types of data objects. */
  public Schema schema() {
    return schema;
  }

  /** Names of the stores, and their numbers. */
  public Map<String, Integer> stores() {
    return stores;
  }

  /** The name of a store's number; null where there is none. */
  public String store(int number) {
    return storeNames.get(number);
  }

  /** In the order of the file. */
  public Collection<Domain> domains() {
    return domains.values();
  }

  /** The domain of a name; null where there is none. */
  public Domain domain(String name) {
    return domains.get(name);
  }

  /** The domain of a code; null where there is none. */
  public Domain domain(int code) {
    return domainsByCode.get(code);
  }

  /** The first domain that an object with these values belongs to; null where there is none. */
  public Domain domainOf(ObjectType type, Object[] values) {
    for (Domain domain : domains.values()) {
      if (domain.has(type, values)) {
        return domain;
      }
    }
    return null;
  }

  /** In the order of the file. */
  public Collection<ManagerConfig> managers() {
    return managers.values();
  }

  /** The configuration of a manager; null where there is none of this name. */
  public ManagerConfig manager(String name) {
    return managers.get(name);
  }
}
