package org.modelstress.harness.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.modelstress.harness.config.ConfigException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Endpoints;

/** Addresses of nodes, as the command line and the conversation have them. */
final class Addresses {
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
