package org.modelstress.metadata.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Instant;

/** Values of attributes as JSON: texts and moments are strings. */
public final class JsonValues {
  private JsonValues() {}

  /** JSON of a value. */
  public static JsonNode write(Object value) {
    if (value instanceof Long number) {
      return LongNode.valueOf(number);
    }
    if (value instanceof Double number) {
      return DoubleNode.valueOf(number);
    }
    if (value instanceof Boolean truth) {
      return BooleanNode.valueOf(truth);
    }
    return TextNode.valueOf(
        value instanceof Instant ? ValueType.TIME.encode(value) : (String) value);
  }

  /**
   * A value, without knowing of which attribute: {@link Attribute#checked} makes it one of its
   * type.
   *
   * @throws MetadataException INVALID where it can be none
   */
  public static Object read(String name, JsonNode json) throws MetadataException {
    if (json.isTextual()) {
      return json.textValue();
    }
    if (json.isBoolean()) {
      return json.booleanValue();
    }
    if (json.isIntegralNumber() && json.canConvertToLong()) {
      return json.longValue();
    }
    if (json.isNumber()) {
      return json.doubleValue();
    }
    throw MetadataException.invalid(
        "attribute "
            + Limits.shortened(name)
            + ": "
            + Limits.shortened(json.toString())
            + " is no value");
  }

  /**
   * The value of an attribute.
   *
   * @throws MetadataException INVALID where JSON has something else
   */
  public static Object read(Attribute attribute, JsonNode json) throws MetadataException {
    ValueType type = attribute.type();
    boolean fits =
        switch (type) {
          case TEXT, TIME -> json.isTextual();
          case INTEGER -> json.isIntegralNumber() && json.canConvertToLong();
          case DECIMAL -> json.isNumber() && Double.isFinite(json.doubleValue());
          case BOOLEAN -> json.isBoolean();
        };
    if (!fits) {
      throw MetadataException.invalid(
          "attribute "
              + attribute.name()
              + ": "
              + Limits.shortened(json.toString())
              + " is no "
              + type.word());
    }
    return switch (type) {
      case TEXT -> json.textValue();
      case TIME -> type.parse(json.textValue());
      case INTEGER -> json.longValue();
      case DECIMAL -> json.doubleValue();
      case BOOLEAN -> json.booleanValue();
    };
  }
}
