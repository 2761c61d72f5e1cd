package org.modelstress.topology;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.modelstress.topology.config.ConfigException;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.config.TopologyFile;

/** Configurations of tests. */
public final class Topologies {
  /** Customers and accommodations with their landlords, and stores ds1 to ds3. */
  public static final String TYPES =
      """
      types:
        Landlord: {code: 100, attributes: {name: string, email: string}}
        Accommodation:
          code: 101
          attributes:
            countryCode: short indexed
            description: string
            coordX: double
            petsAllowed: bool
            landlord: Landlord
            rentPerDay: float
        Customer:
          code: 103
          attributes: {name: string, contact: string, customerNo: int indexed, balance: long}
      stores: {ds1: 1, ds2: 2, ds3: 3}
      """;

  private Topologies() {}

  /** The configuration of a text. */
  public static Topology of(String text) throws ConfigException {
    try {
      Path file = Files.createTempFile("topology", ".yaml");
      try {
        Files.writeString(file, text);
        return TopologyFile.read(file);
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All types in one domain with a tree; a client with direct connections to its stores. */
  public static String direct(String tree, String... stores) {
    StringBuilder text = new StringBuilder(TYPES);
    text.append("domains:\n  all:\n    code: 1\n    define: [SELECT FROM Landlord, ");
    text.append("SELECT FROM Accommodation, SELECT FROM Customer]\n    tree: ").append(tree);
    text.append("\nmanagers:\n  client:\n    ids: [10, 99]\n    connections:\n");
    for (String store : stores) {
      text.append("      - {adapter: jdbc, store: ").append(store);
      text.append(", imports: [all@").append(store).append("]}\n");
    }
    return text.toString();
  }
}
