package org.modelstress.metadata.tool;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.modelstress.databases.Database;
import org.modelstress.databases.Tuning;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.metadata.service.Configuration;

/**
 * What the harness tells every process of the tool: levels of factors.
 *
 * @param layout {@code rows} or {@code document}
 * @param indexes whether there are indexes beside the primary keys
 * @param configuration of the service
 * @param attributes of objects that clients create
 * @param tuning of the database
 */
record Settings(
    String layout, boolean indexes, Configuration configuration, int attributes, Tuning tuning) {
  private static final List<String> BACKENDS =
      List.of("postgresql", "mariadb", "h2", "sqlite", "postgresql-external", "mariadb-external");
  private static final int CACHED = 100_000;
  private static final int LEAST_ATTRIBUTES = 4;
  private static final int MOST_ATTRIBUTES = 256;
  private static final int MOST_MIB = 1 << 20;

  /**
   * Settings of options.
   *
   * @param timeoutMillis of a call of the service
   * @throws IllegalArgumentException where one makes no sense; says which
   */
  static Settings of(Map<String, Object> options, long timeoutMillis) {
    String layout = word(options, "layout", "rows", "document");
    boolean indexes = word(options, "indexes", "values", "none").equals("values");
    String control =
        word(options, "control", "service-lock", "object-locks", "transactions", "queue");
    String cache = word(options, "cache", "types", "none", "objects");
    boolean flushing = word(options, "durability", "flushed", "unflushed").equals("flushed");
    return new Settings(
        layout,
        indexes,
        new Configuration(
            control,
            cache,
            number(options, "cached_objects", CACHED, 1, 10_000_000),
            timeoutMillis),
        number(options, "object_attributes", 12, LEAST_ATTRIBUTES, MOST_ATTRIBUTES),
        new Tuning(
            flushing, number(options, "buffer_mib", Tuning.DEFAULT.bufferMib(), 16, MOST_MIB)));
  }

  /** A word; the first of those that there are where nothing is said. */
  private static String word(Map<String, Object> options, String name, String... words) {
    Object value = options.getOrDefault(name, words[0]);
    String word = String.valueOf(value);
    if (!List.of(words).contains(word)) {
      throw new IllegalArgumentException(
          "option "
              + name
              + ": is "
              + word
              + "; it is "
              + Arrays.stream(words).collect(Collectors.joining(" or ")));
    }
    return word;
  }

  private static int number(
      Map<String, Object> options, String name, int fallback, int least, int most) {
    Object value = options.getOrDefault(name, fallback);
    if (value instanceof Number number && number.intValue() >= least && number.intValue() <= most) {
      return number.intValue();
    }
    throw new IllegalArgumentException(
        "option " + name + ": is " + value + "; it is a number from " + least + " to " + most);
  }

  static Settings of(ServerConfig config) throws ServerException {
    try {
      return of(config.options(), TIMEOUT_MILLIS);
    } catch (IllegalArgumentException e) {
      throw new ServerException(Exit.CONFIG, e.getMessage(), e);
    }
  }

  /** How long a call of a service node waits for others, ms. */
  private static final long TIMEOUT_MILLIS = 60_000;

  /** The database of a node. */
  Database database(ServerConfig config) throws ServerException {
    return database(config, tuning);
  }

  static Database database(ServerConfig config, Tuning tuning) throws ServerException {
    Database database =
        BACKENDS.contains(config.backend()) ? Database.of(config.backend(), tuning) : null;
    if (database == null) {
      throw new ServerException(
          Exit.CONFIG, "backend: is " + config.backend() + "; it is one of " + BACKENDS, null);
    }
    return database;
  }
}
