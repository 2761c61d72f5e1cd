package org.modelstress.topology.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.modelstress.databases.Addresses;
import org.modelstress.topology.config.ConfigException;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.config.TopologyFile;

/**
 * Looks into the stores after a measurement: nothing is in doubt, replicas are equal, no object is
 * in two places, and the rules of the dataset hold.
 */
public final class StoreCheck {
  private StoreCheck() {}

  /**
   * {@code --config FILE}, as {@code docs/contracts.md} has it for invariants. The system property
   * {@code distributions} says where the configurations of distributions are.
   */
  public static void main(String[] args) {
    try {
      System.out.println(answer(args));
    } catch (ConfigException | IOException | SQLException | RuntimeException e) {
      System.err.println("error: the stores cannot be checked: " + e.getMessage());
      System.exit(1);
    }
  }

  private static String answer(String[] args) throws ConfigException, IOException, SQLException {
    if (args.length != 2 || !"--config".equals(args[0])) {
      throw new IllegalArgumentException("give --config FILE");
    }
    ObjectMapper json = new ObjectMapper();
    JsonNode config = json.readTree(Path.of(args[1]).toFile());
    Map<String, String> stores = new LinkedHashMap<>();
    config
        .path("endpoints")
        .fields()
        .forEachRemaining(
            node -> {
              String address = node.getValue().elements().next().asText();
              if (Addresses.isStore(address)) {
                stores.put(node.getKey(), Addresses.jdbc(address));
              }
            });
    Topology topology =
        distribution(Path.of(System.getProperty("distributions")), config.path("levels"));
    String wrong = problem(topology, stores, config.path("dataset").path("name").asText());
    String message = wrong == null ? "the stores are as they must be" : wrong;
    return json.writeValueAsString(Map.of("holds", wrong == null, "message", message));
  }

  private static Topology distribution(Path folder, JsonNode levels)
      throws ConfigException, IOException {
    StringBuilder text = new StringBuilder();
    String customers = "customers-" + levels.path("customers").asText();
    for (String name : List.of("types", customers, levels.path("distribution").asText())) {
      text.append(Files.readString(folder.resolve(name + ".yaml")));
    }
    return TopologyFile.parse("distribution", text.toString());
  }

  /**
   * A sentence that says what is wrong; null where nothing is.
   *
   * @param topology by which objects are distributed
   * @param stores URLs for JDBC by the names of the stores
   * @param dataset that was loaded into them
   */
  public static String problem(Topology topology, Map<String, String> stores, String dataset)
      throws SQLException {
    List<Rule> rules = new ArrayList<>();
    rules.add(PlaceRules::nothingInDoubt);
    rules.add(PlaceRules::everyObjectInOnePlace);
    rules.add(PlaceRules::noCustomerTwice);
    if (dataset.startsWith("marketplace-")) { // with reservations
      rules.add(MarketRules::everyDayOnce);
      rules.add(MarketRules::whatIsReferredToIsThere);
    }
    if (dataset.equals("ferry")) {
      rules.add(FerryRules::seatsAreThoseOfReservations);
    }
    try (OpenStores open = new OpenStores(topology, stores)) {
      for (Rule rule : rules) {
        String broken = rule.broken(open);
        if (broken != null) {
          return broken;
        }
      }
    }
    return null;
  }
}
