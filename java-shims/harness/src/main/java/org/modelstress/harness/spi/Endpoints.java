package org.modelstress.harness.spi;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where the nodes of a tool answer.
 *
 * @param nodes name of a node to its address, in the order of the tool's descriptor
 */
public record Endpoints(Map<String, Endpoint> nodes) {
  /** Name of the only node of a tool that names none. */
  public static final String SERVER = "server";

  /**
   * Keeps the order of the nodes.
   *
   * @throws IllegalArgumentException when there is no node
   */
  public Endpoints {
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("there is no endpoint");
    }
    nodes = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(nodes));
  }

  /** The address of the only node of a tool that names none. */
  public static Endpoints of(Endpoint server) {
    return new Endpoints(Map.of(SERVER, server));
  }

  /** The address of the first node. */
  public Endpoint first() {
    return nodes.values().iterator().next();
  }

  /**
   * The address of a node.
   *
   * @throws IllegalArgumentException when there is no such node; names those that there are
   */
  public Endpoint node(String name) {
    Endpoint found = nodes.get(name);
    if (found == null) {
      throw new IllegalArgumentException("there is no node " + name + "; there: " + nodes.keySet());
    }
    return found;
  }
}
