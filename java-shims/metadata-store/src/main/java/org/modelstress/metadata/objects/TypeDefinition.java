package org.modelstress.metadata.objects;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Attributes of a type as JSON: {@code [{"name": "a", "type": "text", "indexed": true}, …]}. */
public final class TypeDefinition {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Set<String> KEYS = Set.of("name", "type", "indexed", "default");

  private TypeDefinition() {}

  /** Attributes as the type's object keeps them. */
  public static String write(List<Attribute> attributes) {
    return json(attributes).toString();
  }

  /** The same as JSON. */
  public static ArrayNode json(List<Attribute> attributes) {
    ArrayNode all = JSON.createArrayNode();
    for (Attribute attribute : attributes) {
      ObjectNode one = all.addObject();
      one.put("name", attribute.name()).put("type", attribute.type().word());
      one.put("indexed", attribute.indexed());
      if (attribute.fallback() != null) {
        one.set("default", JsonValues.write(attribute.fallback()));
      }
    }
    return all;
  }

  /**
   * Attributes of a text that {@link #write} made.
   *
   * @throws MetadataException INVALID where it is something else
   */
  public static List<Attribute> read(String text) throws MetadataException {
    try {
      return read(JSON.readTree(text));
    } catch (JsonProcessingException e) {
      throw MetadataException.invalid("the attributes of a type are not JSON");
    }
  }

  /**
   * Attributes that somebody defined.
   *
   * @throws MetadataException INVALID where one makes no sense; says which
   */
  public static List<Attribute> read(JsonNode all) throws MetadataException {
    if (!all.isArray() || all.isEmpty() || all.size() > Limits.ATTRIBUTES) {
      throw MetadataException.invalid(
          "the attributes of a type are a list of 1 to " + Limits.ATTRIBUTES);
    }
    List<Attribute> attributes = new ArrayList<>();
    for (JsonNode one : all) {
      attributes.add(attribute(one));
    }
    return checked(attributes);
  }

  /**
   * Refuses names that are there twice.
   *
   * @throws MetadataException INVALID where there is one
   */
  public static List<Attribute> checked(List<Attribute> attributes) throws MetadataException {
    Set<String> names = new HashSet<>();
    for (Attribute attribute : attributes) {
      if (!names.add(attribute.name())) {
        throw MetadataException.invalid("attribute " + attribute.name() + " is there twice");
      }
    }
    return attributes;
  }

  private static Attribute attribute(JsonNode one) throws MetadataException {
    if (!one.isObject()) {
      throw MetadataException.invalid("an attribute of a type is an object with name and type");
    }
    for (var names = one.fieldNames(); names.hasNext(); ) {
      String key = names.next();
      if (!KEYS.contains(key)) {
        throw MetadataException.invalid(
            "an attribute of a type has no '" + Limits.shortened(key) + "'; it has " + KEYS);
      }
    }
    String name = Limits.name("attribute", one.path("name").textValue());
    ValueType type = ValueType.of(one.path("type").asText());
    if (type == null) {
      throw MetadataException.invalid(
          "attribute "
              + name
              + ": type is one of text, integer, decimal, boolean and time, not '"
              + Limits.shortened(one.path("type").asText())
              + "'");
    }
    if (one.has("indexed") && !one.get("indexed").isBoolean()) {
      throw MetadataException.invalid("attribute " + name + ": indexed is true or false");
    }
    Attribute attribute = new Attribute(name, type, one.path("indexed").asBoolean(), null);
    if (!one.has("default")) {
      return attribute;
    }
    Object fallback = attribute.checked(JsonValues.read(attribute, one.get("default")));
    return new Attribute(name, type, attribute.indexed(), fallback);
  }
}
