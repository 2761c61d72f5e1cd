package org.modelstress.metadata.web;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.modelstress.metadata.objects.Attribute;
import org.modelstress.metadata.objects.JsonValues;
import org.modelstress.metadata.objects.Limits;
import org.modelstress.metadata.objects.Link;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ObjectType;
import org.modelstress.metadata.objects.TypeDefinition;
import org.modelstress.metadata.service.Change;
import org.modelstress.metadata.service.Changed;

/** What the web API sends and takes, as {@code openapi.yaml} has it. */
final class Json {
  private static final int DEPTH = 10;
  private static final int NUMBER = 40;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEPTH)
                          .maxNumberLength(NUMBER)
                          .maxStringLength(Limits.TEXT * 2)
                          .build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private Json() {}

  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  static byte[] bytes(JsonNode json) {
    try {
      return MAPPER.writeValueAsBytes(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // a tree can always be written
    }
  }

  /**
   * A JSON object.
   *
   * @throws MetadataException INVALID where it is none
   */
  static JsonNode read(byte[] bytes) throws MetadataException {
    JsonNode json;
    try {
      json = MAPPER.readTree(bytes);
    } catch (JsonProcessingException e) {
      throw MetadataException.invalid("the body is no JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw MetadataException.invalid("the body is no JSON: " + e.getMessage());
    }
    if (json == null || !json.isObject()) {
      throw MetadataException.invalid("the body is no JSON object");
    }
    return json;
  }

  static ObjectNode write(ObjectType type) {
    ObjectNode json = object();
    json.put("id", type.id()).put("version", type.version()).put("name", type.name());
    json.set("attributes", TypeDefinition.json(type.attributes()));
    return json;
  }

  static ObjectType type(JsonNode json) throws MetadataException {
    return new ObjectType(
        json.path("id").asLong(),
        json.path("version").asInt(),
        json.path("name").asText(),
        TypeDefinition.read(json.path("attributes")));
  }

  static ObjectNode write(MetadataObject object) {
    ObjectNode json = object();
    json.put("id", object.id()).put("version", object.version());
    json.put("type", object.type().name()).put("type_version", object.type().version());
    json.set("values", write(object.byName()));
    return json;
  }

  static ObjectNode write(Map<String, Object> values) {
    ObjectNode json = object();
    values.forEach((name, value) -> json.set(name, JsonValues.write(value)));
    return json;
  }

  /** An object whose type has at least as many attributes as it has values. */
  static MetadataObject metadataObject(JsonNode json, ObjectType last) throws MetadataException {
    JsonNode given = json.path("values");
    int version = json.path("type_version").asInt();
    // a later version of a type has more attributes at the end, and that is all
    ObjectType type =
        last.version() == version
            ? last
            : new ObjectType(
                last.id(), version, last.name(), last.attributes().subList(0, given.size()));
    Object[] values = new Object[type.attributes().size()];
    for (int place = 0; place < values.length; place++) {
      Attribute attribute = type.attributes().get(place);
      values[place] = JsonValues.read(attribute, given.path(attribute.name()));
    }
    return new MetadataObject(json.path("id").asLong(), json.path("version").asInt(), type, values);
  }

  /**
   * Values by names of attributes.
   *
   * @throws MetadataException INVALID where something is none
   */
  static Map<String, Object> values(JsonNode json) throws MetadataException {
    if (!json.isObject()) {
      throw MetadataException.invalid("values are an object with a field for each attribute");
    }
    Map<String, Object> values = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> each : json.properties()) {
      values.put(each.getKey(), JsonValues.read(each.getKey(), each.getValue()));
    }
    return values;
  }

  static ObjectNode write(Link link) {
    return object()
        .put("source", link.source())
        .put("name", link.name())
        .put("target", link.target());
  }

  static Link link(JsonNode json) throws MetadataException {
    return new Link(number(json, "source"), text(json, "name"), number(json, "target"));
  }

  static ObjectNode write(Change change) {
    ObjectNode json = object();
    if (change instanceof Change.Create create) {
      json.putObject("create").put("type", create.type()).set("values", write(create.values()));
    } else if (change instanceof Change.Update update) {
      json.putObject("update")
          .put("id", update.id())
          .put("base", update.base())
          .set("changes", write(update.changes()));
    }
    return json;
  }

  static ObjectNode changed(List<Changed> all) {
    ObjectNode json = object();
    ArrayNode list = json.putArray("changed");
    all.forEach(each -> list.addObject().put("id", each.id()).put("version", each.version()));
    return json;
  }

  static List<Changed> changed(JsonNode json) {
    List<Changed> all = new ArrayList<>();
    json.path("changed")
        .forEach(
            each -> all.add(new Changed(each.path("id").asLong(), each.path("version").asInt())));
    return all;
  }

  static String text(JsonNode json, String field) throws MetadataException {
    if (!json.path(field).isTextual()) {
      throw MetadataException.invalid("field " + field + " is missing or no text");
    }
    return json.get(field).textValue();
  }

  static long number(JsonNode json, String field) throws MetadataException {
    if (!json.path(field).isIntegralNumber() || !json.get(field).canConvertToLong()) {
      throw MetadataException.invalid("field " + field + " is missing or no whole number");
    }
    return json.get(field).longValue();
  }

  static int version(JsonNode json, String field) throws MetadataException {
    long number = number(json, field);
    if (number < 1 || number > Integer.MAX_VALUE) {
      throw MetadataException.invalid("field " + field + " is no version: " + number);
    }
    return (int) number;
  }

  /**
   * Refuses what nobody reads.
   *
   * @throws MetadataException INVALID where a field is not among the known ones
   */
  static void only(JsonNode json, List<String> fields) throws MetadataException {
    for (Map.Entry<String, JsonNode> each : json.properties()) {
      if (!fields.contains(each.getKey())) {
        throw MetadataException.invalid(
            "there is no field '" + Limits.shortened(each.getKey()) + "'; there are " + fields);
      }
    }
  }

  static List<Long> ids(JsonNode json) throws MetadataException {
    JsonNode list = json.path("ids");
    if (!list.isArray() || list.size() > Limits.BATCH) {
      throw MetadataException.invalid("field ids is no list of at most " + Limits.BATCH);
    }
    List<Long> ids = new ArrayList<>();
    for (JsonNode id : list) {
      if (!id.isIntegralNumber() || !id.canConvertToLong()) {
        throw MetadataException.invalid("field ids has something that is no whole number");
      }
      ids.add(id.longValue());
    }
    return ids;
  }

  static ObjectNode ids(List<Long> ids) {
    ObjectNode json = object();
    ArrayNode list = json.putArray("ids");
    ids.forEach(list::add);
    return json;
  }
}
