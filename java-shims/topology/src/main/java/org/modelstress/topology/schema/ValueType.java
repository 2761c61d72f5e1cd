package org.modelstress.topology.schema;

import java.util.Locale;

/** Types of attributes, by the words of configuration files. */
public enum ValueType {
  /** Text. */
  STRING("text", String.class),
  /** True or false. */
  BOOL("boolean", Boolean.class),
  /** 16 bits. */
  SHORT("smallint", Short.class),
  /** 32 bits. */
  INT("integer", Integer.class),
  /** 64 bits. */
  LONG("bigint", Long.class),
  /** IEEE 754, 32 bits. */
  FLOAT("real", Float.class),
  /** IEEE 754, 64 bits. */
  DOUBLE("double precision", Double.class),
  /** The identifier of another object. */
  REFERENCE("bigint", Long.class);

  private final String sql;
  private final Class<?> javaClass;

  ValueType(String sql, Class<?> javaClass) {
    this.sql = sql;
    this.javaClass = javaClass;
  }

  /** The column type, of PostgreSQL and of H2. */
  public String sql() {
    return sql;
  }

  /** The class of values that are not null. */
  public Class<?> javaClass() {
    return javaClass;
  }

  /** Whether values can be added to one another, as delta writes do. */
  public boolean isNumber() {
    return this != STRING && this != BOOL && this != REFERENCE;
  }

  /** The word of configuration files. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * A number, text or truth value as a value of this type.
   *
   * @throws IllegalArgumentException where it is none, or does not fit
   */
  public Object of(Object value) {
    if (value == null || javaClass.isInstance(value)) {
      return value;
    }
    if (value instanceof Number number) {
      Object made = ofNumber(number);
      if (made != null) {
        return made;
      }
    }
    throw new IllegalArgumentException(value + " is no " + word());
  }

  private Object ofNumber(Number number) {
    return switch (this) {
      case SHORT -> fits(number, Short.MIN_VALUE, Short.MAX_VALUE) ? number.shortValue() : null;
      case INT -> fits(number, Integer.MIN_VALUE, Integer.MAX_VALUE) ? number.intValue() : null;
      case LONG, REFERENCE ->
          fits(number, Long.MIN_VALUE, Long.MAX_VALUE) ? number.longValue() : null;
      case FLOAT -> number.floatValue();
      case DOUBLE -> number.doubleValue();
      case STRING, BOOL -> null;
    };
  }

  private static boolean fits(Number number, long least, long most) {
    long whole = number.longValue();
    return whole == number.doubleValue() && whole >= least && whole <= most;
  }
}
