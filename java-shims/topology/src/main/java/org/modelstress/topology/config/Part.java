package org.modelstress.topology.config;

/**
 * The objects of a domain that are in one store: what connections import and managers export,
 * written {@code domain@store}. In configuration files {@code *} stands for any domain or store.
 */
public record Part(String domain, String store) {
  private static final String ANY = "*";

  boolean isPattern() {
    return domain.equals(ANY) || store.equals(ANY);
  }

  /** Whether a pattern means a part. */
  boolean means(Part part) {
    return (domain.equals(ANY) || domain.equals(part.domain))
        && (store.equals(ANY) || store.equals(part.store));
  }

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
