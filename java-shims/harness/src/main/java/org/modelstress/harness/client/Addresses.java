package org.modelstress.harness.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.modelstress.harness.config.ConfigException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Endpoints;

/** Addresses of nodes, as the command line and the conversation have them. */
final class Addresses {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Pattern NAMED = Pattern.compile("([a-z][a-z0-9-]*)=(.*)", Pattern.DOTALL);

  private Addresses() {}

  /**
   * Reads {@code URL}, of the only node of a tool, or {@code NODE=URL} of each node.
   *
   * @throws ConfigException with one sentence
   */
  static Endpoints parse(List<String> words) throws ConfigException {
    Map<String, String> urls = new LinkedHashMap<>();
    for (String word : words) {
      Matcher named = NAMED.matcher(word);
      boolean isNamed = named.matches();
      String node = isNamed ? named.group(1) : Endpoints.SERVER;
      if (urls.put(node, isNamed ? named.group(2) : word) != null) {
        throw new ConfigException("--endpoint: node " + node + " is given twice", null);
      }
    }
    return of(urls);
  }

  /**
   * Reads what the controller says of nodes that were started again: {@code {"endpoint": URL}}, of
   * the first node, or {@code {"endpoints": {NODE: URL}}}. Other nodes keep their addresses.
   *
   * @return what becomes of the addresses; throws IllegalArgumentException for an unknown node
   * @throws ConfigException with one sentence
   */
  static UnaryOperator<Endpoints> restarted(String json) throws ConfigException {
    JsonNode said;
    try {
      said = JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new ConfigException("RESUME: is not JSON: " + e.getOriginalMessage(), e);
    }
    if (said.path("endpoint").isTextual()) {
      Endpoint first = of(Map.of(Endpoints.SERVER, said.path("endpoint").textValue())).first();
      return old -> with(old, Map.of(old.nodes().keySet().iterator().next(), first));
    }
    Map<String, String> urls = new LinkedHashMap<>();
    said.path("endpoints")
        .fields()
        .forEachRemaining(e -> urls.put(e.getKey(), e.getValue().asText()));
    if (urls.isEmpty()) {
      throw new ConfigException("RESUME: has no endpoint", null);
    }
    Endpoints found = of(urls);
    return old -> with(old, found.nodes());
  }

  private static Endpoints with(Endpoints old, Map<String, Endpoint> restarted) {
    restarted.keySet().forEach(old::node); // throws where one is unknown
    Map<String, Endpoint> nodes = new LinkedHashMap<>(old.nodes());
    nodes.putAll(restarted);
    return new Endpoints(nodes);
  }

  /**
   * Node to URL, as addresses.
   *
   * @throws ConfigException with one sentence
   */
  static Endpoints of(Map<String, String> urls) throws ConfigException {
    if (urls.isEmpty()) {
      throw new ConfigException("--endpoint: no node has an address", null);
    }
    Map<String, Endpoint> nodes = new LinkedHashMap<>();
    for (Map.Entry<String, String> url : urls.entrySet()) {
      try {
        nodes.put(url.getKey(), new Endpoint(new URI(url.getValue())));
      } catch (URISyntaxException e) {
        throw new ConfigException("--endpoint: " + url.getValue() + " is not a URL", e);
      }
    }
    return new Endpoints(nodes);
  }
}
