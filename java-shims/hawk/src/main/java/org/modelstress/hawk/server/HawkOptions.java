package org.modelstress.hawk.server;

import java.util.Map;
import java.util.Set;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.hawk.query.Fidelity;
import org.modelstress.thrift.server.ApiOptions;
import org.modelstress.thrift.server.OptionValues;

/**
 * The server's options ({@code options} of the server configuration).
 *
 * @param cacheMegabytes {@code cache_mb}: bound of the database's page or disk cache, MiB
 * @param fidelity {@code paper} or {@code improved}: whether weak points of the original are kept
 *     when queries are answered
 * @param instance name of the index in Hawk's API
 * @param api options of the API
 */
public record HawkOptions(int cacheMegabytes, Fidelity fidelity, String instance, ApiOptions api) {
  private static final Set<String> OWN = Set.of("cache_mb", "fidelity", "instance");

  /**
   * Reads the options.
   *
   * @throws ServerException CONFIG for an unknown name or a wrong value
   */
  public static HawkOptions of(Map<String, Object> values) throws ServerException {
    try {
      OptionValues.refuseOthers(values, OWN);
      return new HawkOptions(
          OptionValues.whole(values, "cache_mb", 512, 8, 1 << 20),
          fidelity(values),
          OptionValues.name(values, "instance", "modelstress"),
          ApiOptions.of(values));
    } catch (IllegalArgumentException e) {
      throw new ServerException(Exit.CONFIG, "options of the hawk server: " + e.getMessage(), e);
    }
  }

  private static Fidelity fidelity(Map<String, Object> values) {
    Object value = values.getOrDefault("fidelity", "improved");
    return switch (String.valueOf(value)) {
      case "paper" -> Fidelity.PAPER;
      case "improved" -> Fidelity.IMPROVED;
      default ->
          throw new IllegalArgumentException(
              "fidelity is " + value + ", neither paper nor improved");
    };
  }
}
