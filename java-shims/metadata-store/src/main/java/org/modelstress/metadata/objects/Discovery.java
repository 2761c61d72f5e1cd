package org.modelstress.metadata.objects;

/**
 * Asks for objects of a type whose last version has a value, or one in a range.
 *
 * @param type name of the type
 * @param attribute name of an indexed attribute; null: all objects of the type
 * @param from least value, or null
 * @param to greatest value, or null; equal to {@code from} where one value is looked for
 * @param limit how many are told at most, those with the least identifiers where all are asked for,
 *     else those with the least values
 */
public record Discovery(String type, String attribute, Object from, Object to, int limit) {
  /** All objects of a type. */
  public static Discovery all(String type, int limit) {
    return new Discovery(type, null, null, null, limit);
  }

  /** Objects with a value. */
  public static Discovery value(String type, String attribute, Object value, int limit) {
    return new Discovery(type, attribute, value, value, limit);
  }
}
