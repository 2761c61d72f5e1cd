package org.modelstress.mogwai.server;

import fr.inria.atlanmod.neoemf.data.blueprints.neo4j.option.BlueprintsNeo4jResourceOptions.CacheType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.mogwai.store.StoreOptions;
import org.modelstress.thrift.server.ApiOptions;
import org.modelstress.thrift.server.OptionValues;

/**
 * The server's options ({@code options} of the server configuration).
 *
 * @param store {@code cache_type}: which nodes and relationships Neo4j keeps, {@code none}, {@code
 *     soft} (default), {@code weak} or {@code strong}; {@code cache_mb}: bound of its mapped
 *     memory, MiB
 * @param cachedQueries {@code cached_queries}: compiled queries kept at most, 0 for none
 * @param instance name of the model in the API
 * @param api options of the API
 */
record MogwaiOptions(StoreOptions store, int cachedQueries, String instance, ApiOptions api) {
  private static final Set<String> OWN =
      Set.of("cache_mb", "cache_type", "cached_queries", "instance");

  /**
   * Reads the options.
   *
   * @throws ServerException CONFIG for an unknown name or a wrong value
   */
  static MogwaiOptions of(Map<String, Object> values) throws ServerException {
    try {
      OptionValues.refuseOthers(values, OWN);
      int megabytes =
          OptionValues.whole(values, "cache_mb", 512, StoreOptions.LEAST_MEGABYTES, 1 << 20);
      return new MogwaiOptions(
          new StoreOptions(cacheType(values), megabytes),
          OptionValues.whole(values, "cached_queries", 1000, 0, 1_000_000),
          OptionValues.name(values, "instance", "modelstress"),
          ApiOptions.of(values));
    } catch (IllegalArgumentException e) {
      throw new ServerException(Exit.CONFIG, "options of the mogwai server: " + e.getMessage(), e);
    }
  }

  private static CacheType cacheType(Map<String, Object> values) {
    Object value = values.getOrDefault("cache_type", name(CacheType.SOFT));
    for (CacheType type : CacheType.values()) {
      if (name(type).equals(value)) {
        return type;
      }
    }
    List<String> names = Arrays.stream(CacheType.values()).map(MogwaiOptions::name).toList();
    throw new IllegalArgumentException("cache_type is " + value + ", not one of " + names);
  }

  private static String name(CacheType type) {
    return type.name().toLowerCase(Locale.ROOT);
  }
}
