package org.modelstress.hawk.catalog;

import java.util.Map;
import java.util.Set;
import org.modelstress.hawk.graph.IndexType;

/**
 * A derived attribute (computed and kept up to date by the index) or an indexed attribute (of the
 * metamodel, found by value). Derived attributes are always indexed.
 *
 * @param kind which of the two
 * @param metamodel namespace URI
 * @param type name of the class
 * @param name of the attribute
 * @param valueType of a derived attribute: Boolean, Integer, Real or String; else null
 * @param many whether a derived attribute holds several values
 * @param ordered whether their order matters
 * @param unique whether no two of them are equal
 * @param language of the logic, such as {@code EOL}; null when indexed
 * @param logic expression or statements over {@code self}; null when indexed
 */
public record AttributeDeclaration(
    Kind kind,
    String metamodel,
    String type,
    String name,
    String valueType,
    boolean many,
    boolean ordered,
    boolean unique,
    String language,
    String logic) {
  /** Who computes the value. */
  public enum Kind {
    DERIVED,
    INDEXED
  }

  private static final Set<String> KEYS =
      Set.of(
          "kind",
          "metamodel",
          "type",
          "name",
          "value_type",
          "many",
          "ordered",
          "unique",
          "language",
          "logic");

  /**
   * Reads one entry of {@code attributes} of a server's configuration.
   *
   * @throws IllegalArgumentException naming the key that is unknown, missing or wrong
   */
  public static AttributeDeclaration of(Map<String, Object> entry) {
    for (String key : entry.keySet()) {
      if (!KEYS.contains(key)) {
        throw new IllegalArgumentException("attributes: unknown key '" + key + "'");
      }
    }
    Kind kind =
        switch (text(entry, "kind")) {
          case "derived" -> Kind.DERIVED;
          case "indexed" -> Kind.INDEXED;
          default ->
              throw new IllegalArgumentException("attributes: kind is neither derived nor indexed");
        };
    boolean derived = kind == Kind.DERIVED;
    AttributeDeclaration declaration =
        new AttributeDeclaration(
            kind,
            text(entry, "metamodel"),
            text(entry, "type"),
            text(entry, "name"),
            derived ? text(entry, "value_type") : null,
            Boolean.TRUE.equals(entry.get("many")),
            Boolean.TRUE.equals(entry.get("ordered")),
            Boolean.TRUE.equals(entry.get("unique")),
            derived ? String.valueOf(entry.getOrDefault("language", "EOL")) : null,
            derived ? text(entry, "logic") : null);
    if (derived) {
      declaration.indexType(); // refuses an unknown value_type
    }
    return declaration;
  }

  private static String text(Map<String, Object> entry, String key) {
    if (!(entry.get(key) instanceof String value) || value.isBlank()) {
      throw new IllegalArgumentException("attributes: '" + key + "' is missing in " + entry);
    }
    return value;
  }

  /** Name of its index. */
  public String index() {
    return metamodel + "#" + type + "." + name;
  }

  /**
   * What its index holds, by {@link #valueType}.
   *
   * @throws IllegalArgumentException if the value type is unknown
   */
  public IndexType indexType() {
    return switch (String.valueOf(valueType)) {
      case "Boolean" -> IndexType.TRUTH;
      case "Integer", "Long" -> IndexType.WHOLE;
      case "Real", "Double", "Float" -> IndexType.REAL;
      case "String" -> IndexType.TEXT;
      default ->
          throw new IllegalArgumentException(
              "attributes: value_type '"
                  + valueType
                  + "' of "
                  + name
                  + " is not Boolean, Integer, Real or String");
    };
  }
}
