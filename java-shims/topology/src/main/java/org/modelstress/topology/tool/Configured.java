package org.modelstress.topology.tool;

import java.util.HashMap;
import java.util.Map;
import org.modelstress.databases.Addresses;
import org.modelstress.topology.config.ConfigException;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.config.TopologyFile;

/** What the harness tells every process of the tool, as the object managers want it. */
final class Configured {
  private static final String TOPOLOGY = "topology";
  private static final String DISTRIBUTION = "distribution";

  /** Stands in configuration files for the protocol that is measured. */
  private static final String PROTOCOL = "${protocol}";

  private Configured() {}

  /**
   * The topology of the option that has its text.
   *
   * @param options of the program
   * @param protocol word of an adapter, in the place of <code>${protocol}</code>
   */
  static Topology topology(Map<String, Object> options, String protocol) throws ConfigException {
    return TopologyFile.parse(TOPOLOGY, text(options, TOPOLOGY).replace(PROTOCOL, protocol));
  }

  /** How objects are distributed among stores: what these need of a topology. */
  static Topology distribution(Map<String, Object> options) throws ConfigException {
    return TopologyFile.parse(DISTRIBUTION, text(options, DISTRIBUTION));
  }

  private static String text(Map<String, Object> options, String name) throws ConfigException {
    if (options.get(name) instanceof String text && !text.isBlank()) {
      return text;
    }
    throw new ConfigException(
        "option " + name + " is missing: the text of a configuration (docs/tools/topology.md)");
  }

  /**
   * Addresses of servers and stores by their names and adapters.
   *
   * @param endpoints of nodes, by their names
   */
  static Map<String, Map<String, String>> addresses(Map<String, String> endpoints) {
    Map<String, Map<String, String>> addresses = new HashMap<>();
    endpoints.forEach(
        (node, endpoint) ->
            addresses.put(
                node,
                Addresses.isStore(endpoint)
                    ? Map.of("jdbc", Addresses.jdbc(endpoint))
                    : Map.of(endpoint.substring(0, Math.max(0, endpoint.indexOf(':'))), endpoint)));
    return addresses;
  }
}
