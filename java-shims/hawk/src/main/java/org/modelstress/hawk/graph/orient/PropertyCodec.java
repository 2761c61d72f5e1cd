package org.modelstress.hawk.graph.orient;

/** Property values as bytes: one for the type, then the value. */
final class PropertyCodec {
  private static final int FALSE = 0;
  private static final int TRUE = 1;
  private static final int INTEGER = 2;
  private static final int LONG = 3;
  private static final int DOUBLE = 4;
  private static final int TEXT = 5;
  private static final int TRUTHS = 6;
  private static final int INTEGERS = 7;
  private static final int LONGS = 8;
  private static final int DOUBLES = 9;
  private static final int TEXTS = 10;

  private PropertyCodec() {}

  /**
   * Writes a value.
   *
   * @throws IllegalArgumentException if it is of no type that the graph stores
   */
  static void write(ByteSink sink, Object value) {
    if (value instanceof Boolean truth) {
      sink.oneByte(truth ? TRUE : FALSE);
    } else if (value instanceof Integer number) {
      sink.oneByte(INTEGER);
      sink.signed(number);
    } else if (value instanceof Long number) {
      sink.oneByte(LONG);
      sink.signed(number);
    } else if (value instanceof Double number) {
      sink.oneByte(DOUBLE);
      sink.real(number);
    } else if (value instanceof String text) {
      sink.oneByte(TEXT);
      sink.text(text);
    } else {
      writeArray(sink, value);
    }
  }

  /**
   * Makes sure that a value can be written.
   *
   * @throws IllegalArgumentException if it is of no type that the graph stores
   */
  static void check(Object value) {
    if (!(value instanceof Boolean
        || value instanceof Integer
        || value instanceof Long
        || value instanceof Double
        || value instanceof String
        || value instanceof boolean[]
        || value instanceof int[]
        || value instanceof long[]
        || value instanceof double[]
        || value instanceof String[])) {
      throw new IllegalArgumentException(
          "the graph stores no values of " + (value == null ? null : value.getClass()));
    }
  }

  private static void writeArray(ByteSink sink, Object value) {
    if (value instanceof boolean[] truths) {
      head(sink, TRUTHS, truths.length);
      for (boolean truth : truths) {
        sink.oneByte(truth ? 1 : 0);
      }
    } else if (value instanceof int[] numbers) {
      head(sink, INTEGERS, numbers.length);
      for (int number : numbers) {
        sink.signed(number);
      }
    } else if (value instanceof long[] numbers) {
      head(sink, LONGS, numbers.length);
      for (long number : numbers) {
        sink.signed(number);
      }
    } else if (value instanceof double[] numbers) {
      head(sink, DOUBLES, numbers.length);
      for (double number : numbers) {
        sink.real(number);
      }
    } else if (value instanceof String[] texts) {
      head(sink, TEXTS, texts.length);
      for (String text : texts) {
        sink.text(text);
      }
    } else {
      check(value);
    }
  }

  private static void head(ByteSink sink, int type, int length) {
    sink.oneByte(type);
    sink.number(length);
  }

  /** Reads a value. */
  static Object read(ByteSource source) {
    int type = source.oneByte();
    return switch (type) {
      case FALSE -> Boolean.FALSE;
      case TRUE -> Boolean.TRUE;
      case INTEGER -> (int) source.signed();
      case LONG -> source.signed();
      case DOUBLE -> source.real();
      case TEXT -> source.text();
      default -> readArray(type, source);
    };
  }

  private static Object readArray(int type, ByteSource source) {
    int length = source.count();
    switch (type) {
      case TRUTHS -> {
        boolean[] truths = new boolean[length];
        for (int i = 0; i < length; i++) {
          truths[i] = source.oneByte() == 1;
        }
        return truths;
      }
      case INTEGERS -> {
        int[] numbers = new int[length];
        for (int i = 0; i < length; i++) {
          numbers[i] = (int) source.signed();
        }
        return numbers;
      }
      case LONGS -> {
        long[] numbers = new long[length];
        for (int i = 0; i < length; i++) {
          numbers[i] = source.signed();
        }
        return numbers;
      }
      case DOUBLES -> {
        double[] numbers = new double[length];
        for (int i = 0; i < length; i++) {
          numbers[i] = source.real();
        }
        return numbers;
      }
      case TEXTS -> {
        String[] texts = new String[length];
        for (int i = 0; i < length; i++) {
          texts[i] = source.text();
        }
        return texts;
      }
      default -> throw new IllegalStateException("a record of the graph is damaged");
    }
  }

  /** Moves behind a value. */
  static void skip(ByteSource source) {
    int type = source.oneByte();
    switch (type) {
      case FALSE, TRUE -> {}
      case INTEGER, LONG -> source.number();
      case DOUBLE -> source.skip(8);
      case TEXT -> skipNumbers(source, source.count());
      case TRUTHS -> source.skip(source.count());
      case INTEGERS, LONGS -> skipNumbers(source, source.count());
      case DOUBLES -> source.skip(8 * source.count());
      default -> readArray(type, source);
    }
  }

  private static void skipNumbers(ByteSource source, int count) {
    for (int i = 0; i < count; i++) {
      source.number();
    }
  }
}
