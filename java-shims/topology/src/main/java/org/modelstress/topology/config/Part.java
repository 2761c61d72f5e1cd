package org.modelstress.topology.config;

/**
 * The objects of a domain that are in one store: what connections import and managers export,
 * written {@code domain@store}.
 */
public record Part(String domain, String store) {
  @Override
  public String toString() {
    return domain + "@" + store;
  }

  static Part parse(String text) throws ConfigException {
    String[] sides = text.split("@", -1);
    if (sides.length != 2 || sides[0].isBlank() || sides[1].isBlank()) {
      throw new ConfigException("'" + text + "' is not of the form domain@store");
    }
    return new Part(sides[0].strip(), sides[1].strip());
  }
}
