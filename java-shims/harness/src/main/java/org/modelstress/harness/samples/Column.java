package org.modelstress.harness.samples;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * One column of an MSSF file.
 *
 * @param name column name
 * @param type {@code uint8}, {@code int16}, {@code uint16}, {@code int32}, {@code uint32}, {@code
 *     int64} or {@code uint64}, little-endian
 * @param offset bytes from the beginning of the record, a multiple of the type's size
 * @param unit unit of the value, or null
 * @param dictionary name of the dictionary whose entry the value numbers, or null
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Column(String name, String type, int offset, String unit, String dictionary) {
  /** A plain number. */
  public static Column number(String name, String type, int offset) {
    return new Column(name, type, offset, null, null);
  }

  /** A time or a length of time in nanoseconds. */
  public static Column nanos(String name, int offset) {
    return new Column(name, "int64", offset, "ns", null);
  }

  /** A number of an entry in the dictionary of the same name. */
  public static Column coded(String name, String type, int offset) {
    return new Column(name, type, offset, null, name);
  }

  /**
   * Size of a value in bytes.
   *
   * @throws IllegalArgumentException when the type is not one of MSSF
   */
  public int size() {
    return switch (type) {
      case "uint8" -> 1;
      case "int16", "uint16" -> 2;
      case "int32", "uint32" -> 4;
      case "int64", "uint64" -> 8;
      default -> throw new IllegalArgumentException("unknown type " + type + " of column " + name);
    };
  }
}
