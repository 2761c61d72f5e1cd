package org.modelstress.metadata.objects;

/**
 * An attribute of a type.
 *
 * @param indexed whether objects can be discovered by its value
 * @param fallback its value in objects that are given none; null: they must be given one
 */
public record Attribute(String name, ValueType type, boolean indexed, Object fallback) {
  /**
   * Checks a value.
   *
   * @param given of the type; a whole number for a decimal and text for a moment do as well
   * @return the value, of the type
   * @throws MetadataException INVALID where it is of another type or too long
   */
  public Object checked(Object given) throws MetadataException {
    Object value = given;
    if (type == ValueType.DECIMAL && given instanceof Long number) {
      value = number.doubleValue();
    } else if (type == ValueType.TIME && given instanceof String text) {
      value = type.parse(text);
    }
    if (!type.has(value)) {
      throw MetadataException.invalid(
          "attribute "
              + name
              + ": "
              + (value == null ? "it has no value" : shown(value) + " is no " + type.word()));
    }
    int most = indexed ? Limits.INDEXED_TEXT : Limits.TEXT;
    if (value instanceof String text) {
      if (text.length() > most) {
        throw MetadataException.invalid(
            "attribute " + name + ": its " + text.length() + " characters are over " + most);
      }
      if (text.indexOf('\0') >= 0 || !isUnicode(text)) {
        throw MetadataException.invalid(
            "attribute "
                + name
                + ": it has a character 0 or half a character, which no store keeps");
      }
    }
    return value;
  }

  private static String shown(Object value) {
    return "'" + Limits.shortened(String.valueOf(value)) + "'";
  }

  private static boolean isUnicode(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        return false;
      }
    }
    return true;
  }
}
