package org.modelstress.metadata.objects;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Types of attributes. Stored values are text that sorts as the values do, so that one index on
 * text finds ranges of every type.
 */
public enum ValueType {
  /** Up to {@link Limits#TEXT} characters; {@link Limits#INDEXED_TEXT} where it is indexed. */
  TEXT(String.class) {
    @Override
    public String encode(Object value) {
      return (String) value;
    }

    @Override
    public Object decode(String stored) {
      return stored;
    }

    @Override
    Object parsed(String text) {
      return text;
    }
  },

  /** 64 bits. */
  INTEGER(Long.class) {
    @Override
    public String encode(Object value) {
      return HexFormat.of().toHexDigits((Long) value ^ Long.MIN_VALUE);
    }

    @Override
    public Object decode(String stored) {
      return HexFormat.fromHexDigitsToLong(stored) ^ Long.MIN_VALUE;
    }

    @Override
    Object parsed(String text) {
      return Long.valueOf(text);
    }
  },

  /** A double that is a number. */
  DECIMAL(Double.class) {
    @Override
    public String encode(Object value) {
      long bits = Double.doubleToLongBits((Double) value + 0.0); // -0.0 is 0.0
      return HexFormat.of().toHexDigits(bits < 0 ? ~bits : bits ^ Long.MIN_VALUE);
    }

    @Override
    public Object decode(String stored) {
      long bits = HexFormat.fromHexDigitsToLong(stored);
      return Double.longBitsToDouble(bits < 0 ? bits ^ Long.MIN_VALUE : ~bits);
    }

    @Override
    Object parsed(String text) {
      double number = Double.parseDouble(text);
      if (!Double.isFinite(number)) {
        throw new NumberFormatException(text);
      }
      return number;
    }
  },

  BOOLEAN(Boolean.class) {
    @Override
    public String encode(Object value) {
      return (Boolean) value ? "1" : "0";
    }

    @Override
    public Object decode(String stored) {
      return stored.equals("1");
    }

    @Override
    Object parsed(String text) {
      if (!text.equals("true") && !text.equals("false")) {
        throw new IllegalArgumentException(text);
      }
      return Boolean.valueOf(text);
    }
  },

  /** A moment from year 0 to 9999, to the millisecond. */
  TIME(Instant.class) {
    @Override
    public String encode(Object value) {
      return MILLIS.format((Instant) value);
    }

    @Override
    public Object decode(String stored) {
      return Instant.parse(stored);
    }

    @Override
    Object parsed(String text) {
      Instant moment = Instant.ofEpochMilli(Instant.parse(text).toEpochMilli());
      if (moment.isBefore(FIRST) || moment.isAfter(LAST)) {
        throw new DateTimeException(text);
      }
      return moment;
    }
  };

  private static final DateTimeFormatter MILLIS =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);
  private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");
  private static final Map<String, ValueType> BY_WORD =
      Stream.of(values()).collect(Collectors.toMap(ValueType::word, Function.identity()));

  private final Class<?> javaType;

  ValueType(Class<?> javaType) {
    this.javaType = javaType;
  }

  /** As definitions name it, such as {@code text}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The type of a word; null where there is none. */
  public static ValueType of(String word) {
    return BY_WORD.get(word);
  }

  /** Whether a value is of the type; null is of none. */
  public boolean has(Object value) {
    return javaType.isInstance(value)
        && (!(value instanceof Double number) || Double.isFinite(number));
  }

  /** Stored text of a value of the type. */
  public abstract String encode(Object value);

  /** The value of a stored text. */
  public abstract Object decode(String stored);

  abstract Object parsed(String text);

  /**
   * The value that a person wrote.
   *
   * @throws MetadataException INVALID where it is none of the type
   */
  public Object parse(String text) throws MetadataException {
    try {
      return parsed(text);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw MetadataException.invalid("'" + Limits.shortened(text) + "' is no " + word());
    }
  }
}
