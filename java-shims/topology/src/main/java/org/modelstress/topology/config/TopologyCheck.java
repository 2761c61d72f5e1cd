package org.modelstress.topology.config;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/** Refuses topologies that cannot work, before anything is started. */
final class TopologyCheck {
  private final String file;
  private final Topology topology;

  TopologyCheck(String file, Topology topology) {
    this.file = file;
    this.topology = topology;
  }

  void run() throws ConfigException {
    distinctIds();
    for (Domain domain : topology.domains()) {
      placesOfOneApplication(domain);
    }
    for (ManagerConfig manager : topology.managers()) {
      for (int i = 0; i < manager.links().size(); i++) {
        link("managers." + manager.name() + ".connections." + i, manager.links().get(i));
      }
      exports(manager);
      ownStores(manager);
    }
    for (ManagerConfig manager : topology.managers()) {
      noCircle(manager, new ArrayDeque<>());
    }
    if (!topology.managers().isEmpty()) {
      for (Domain domain : topology.domains()) {
        somebodyHas(domain);
      }
    }
  }

  private void distinctIds() throws ConfigException {
    List<ManagerConfig> before = new ArrayList<>();
    for (ManagerConfig manager : topology.managers()) {
      for (ManagerConfig other : before) {
        if (manager.firstId() <= other.lastId() && other.firstId() <= manager.lastId()) {
          throw wrong(
              "managers." + manager.name(),
              "has an id of manager "
                  + other.name()
                  + "; objects of both could have one identifier");
        }
      }
      before.add(manager);
    }
  }

  private void link(String where, Link link) throws ConfigException {
    if (link.adapter() == Link.Adapter.JDBC) {
      if (!topology.stores().containsKey(link.peer())) {
        throw wrong(where, "has unknown store " + link.peer());
      }
      for (Part part : link.imports()) {
        if (!part.store().equals(link.peer())) {
          throw wrong(where, "imports " + part + " from store " + link.peer());
        }
      }
      return;
    }
    ManagerConfig server = topology.manager(link.peer());
    if (server == null) {
      throw wrong(where, "has unknown server " + link.peer());
    }
    if (!server.listeners().contains(link.adapter())) {
      throw wrong(
          where,
          "speaks "
              + link.adapter().word()
              + ", and "
              + link.peer()
              + " listens to "
              + server.listeners().stream().map(Link.Adapter::word).toList());
    }
    for (Part part : link.imports()) {
      if (!server.exports().contains(part)) {
        throw wrong(where, "imports " + part + ", which " + link.peer() + " does not export");
      }
    }
  }

  /** Else one of them would write to some of an object's stores only. */
  private void placesOfOneApplication(Domain domain) throws ConfigException {
    for (Set<String> place : domain.places()) {
      long applications =
          topology.applications().values().stream()
              .filter(stores -> stores.stream().anyMatch(place::contains))
              .count();
      if (applications > 1) {
        throw wrong(
            "domains." + domain.name(),
            "has objects that are in all of " + place + ", stores of several applications");
      }
    }
  }

  private void ownStores(ManagerConfig manager) throws ConfigException {
    if (manager.application() == null) {
      return;
    }
    Set<String> its = topology.applications().get(manager.application());
    for (Link link : manager.links()) {
      for (Part part : link.imports()) {
        if (!its.contains(part.store())) {
          throw wrong(
              "managers." + manager.name(),
              "imports " + part + ", and application " + manager.application() + " has " + its);
        }
      }
    }
  }

  private void exports(ManagerConfig manager) throws ConfigException {
    for (Part part : manager.exports()) {
      if (!manager.imports(part)) {
        throw wrong(
            "managers." + manager.name() + ".exports",
            "has " + part + ", which no connection of it imports");
      }
    }
  }

  private void noCircle(ManagerConfig manager, Deque<String> path) throws ConfigException {
    if (path.contains(manager.name())) {
      path.add(manager.name());
      throw wrong("managers." + manager.name(), "is its own server: " + String.join(" → ", path));
    }
    path.add(manager.name());
    for (Link link : manager.links()) {
      if (link.adapter() != Link.Adapter.JDBC) {
        noCircle(topology.manager(link.peer()), path);
      }
    }
    path.removeLast();
  }

  private void somebodyHas(Domain domain) throws ConfigException {
    for (String store : domain.tree().stores()) {
      Part part = new Part(domain.name(), store);
      if (topology.managers().stream().noneMatch(manager -> manager.imports(part))) {
        throw wrong(
            "domains." + domain.name(), "is in store " + store + ", and nobody imports " + part);
      }
    }
  }

  private ConfigException wrong(String where, String why) {
    return new ConfigException(file + ": " + where + " " + why);
  }
}
