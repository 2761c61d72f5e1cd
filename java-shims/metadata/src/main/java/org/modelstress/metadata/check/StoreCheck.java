package org.modelstress.metadata.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.modelstress.databases.Addresses;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.service.Configuration;
import org.modelstress.metadata.service.LocalService;
import org.modelstress.metadata.store.ObjectStore;

/**
 * Looks into the database after a measurement: every version of every object is whole and is what
 * was written, versions have no gaps, and as many were made as clients were told.
 */
public final class StoreCheck {
  private static final int CONNECTIONS = 4;
  private static final long TIMEOUT_MILLIS = 60_000;

  private StoreCheck() {}

  /** {@code --config FILE}, as {@code docs/contracts.md} has it for invariants. */
  public static void main(String[] args) {
    try {
      System.out.println(answer(args));
    } catch (MetadataException | IOException | RuntimeException e) {
      System.err.println("error: the store cannot be checked: " + e.getMessage());
      System.exit(1);
    }
  }

  private static String answer(String[] args) throws MetadataException, IOException {
    if (args.length != 2 || !"--config".equals(args[0])) {
      throw new IllegalArgumentException("give --config FILE");
    }
    ObjectMapper json = new ObjectMapper();
    JsonNode config = json.readTree(Path.of(args[1]).toFile());
    JsonNode database = config.path("endpoints").path("database");
    if (!database.elements().hasNext()) {
      throw new IllegalArgumentException("there is no node database");
    }
    String jdbc = Addresses.jdbc(database.elements().next().asText());
    String layout = config.path("levels").path("layout").asText("rows");
    String wrong;
    Configuration configuration = new Configuration("transactions", "types", 1, TIMEOUT_MILLIS);
    try (LocalService service =
        new LocalService(ObjectStore.of(jdbc, layout, CONNECTIONS), configuration)) {
      wrong = problem(service, config);
    }
    String message = wrong == null ? "all versions are as they were written" : wrong;
    return json.writeValueAsString(Map.of("holds", wrong == null, "message", message));
  }

  /** A sentence that says what is wrong; null where nothing is. */
  private static String problem(LocalService service, JsonNode config) throws MetadataException {
    long loaded = config.path("dataset").path("parameters").path("objects").asLong();
    VersionCheck.Counted counted = new VersionCheck(service).look();
    if (counted.wrong() != null) {
      return counted.wrong();
    }
    long told = 0;
    for (Map.Entry<String, JsonNode> operation : config.path("outcomes").properties()) {
      if (operation.getKey().startsWith("update")) {
        told += operation.getValue().path("ok").asLong();
      }
    }
    if (counted.updates() < told) {
      return told + " updates were acknowledged, and " + counted.updates() + " are there";
    }
    return counted.objects() < loaded
        ? loaded + " objects were loaded, and " + counted.objects() + " are there"
        : null;
  }
}
