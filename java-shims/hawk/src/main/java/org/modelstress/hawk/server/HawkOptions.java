package org.modelstress.hawk.server;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.hawk.query.Fidelity;
import org.modelstress.hawk.server.thrift.ApiOptions;

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
    Set<String> known = new TreeSet<>(OWN);
    known.addAll(ApiOptions.NAMES);
    for (String name : values.keySet()) {
      if (!known.contains(name)) {
        throw invalid("unknown option " + name + "; known are " + known, null);
      }
    }
    try {
      return new HawkOptions(
          megabytes(values), fidelity(values), instance(values), ApiOptions.of(values));
    } catch (IllegalArgumentException e) {
      throw invalid(e.getMessage(), e);
    }
  }

  private static int megabytes(Map<String, Object> values) {
    Object value = values.getOrDefault("cache_mb", 512);
    if (value instanceof Integer number && number >= 8 && number <= 1 << 20) {
      return number;
    }
    throw new IllegalArgumentException(
        "cache_mb is " + value + ", not a whole number from 8 to " + (1 << 20));
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

  private static String instance(Map<String, Object> values) {
    Object value = values.getOrDefault("instance", "modelstress");
    if (value instanceof String name && !name.isBlank()) {
      return name;
    }
    throw new IllegalArgumentException("instance is " + value + ", not a name");
  }

  private static ServerException invalid(String what, Throwable cause) {
    return new ServerException(Exit.CONFIG, "options of the hawk server: " + what, cause);
  }
}
