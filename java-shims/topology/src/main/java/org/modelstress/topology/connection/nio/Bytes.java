package org.modelstress.topology.connection.nio;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.modelstress.topology.schema.ValueType;

/** The parts that messages of the compact format are made of. */
final class Bytes {
  private static final int NULL = 0;
  private static final int THERE = 1;

  private Bytes() {}

  /** A whole number of 64 bits, the smaller the shorter. */
  static void unsigned(ByteBuf out, long number) {
    long left = number;
    while ((left & ~0x7FL) != 0) {
      out.writeByte((int) (left & 0x7F | 0x80));
      left >>>= 7;
    }
    out.writeByte((int) left);
  }

  static long unsigned(ByteBuf in) {
    long number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      byte next = in.readByte();
      number |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return number;
      }
    }
    throw new IllegalArgumentException("a number of more than 64 bits");
  }

  /** A whole number that may be negative, the nearer to 0 the shorter. */
  static void signed(ByteBuf out, long number) {
    unsigned(out, number << 1 ^ number >> 63);
  }

  static long signed(ByteBuf in) {
    long number = unsigned(in);
    return number >>> 1 ^ -(number & 1);
  }

  /** A count of what has so many bytes each at least; never more than there can be. */
  static int count(ByteBuf in, int least) {
    long count = unsigned(in);
    if (count < 0 || count > in.readableBytes() / least) {
      throw new IllegalArgumentException("a count of " + count + " is more than the message has");
    }
    return (int) count;
  }

  static void text(ByteBuf out, String text) {
    bytes(out, text.getBytes(StandardCharsets.UTF_8));
  }

  static String text(ByteBuf in) {
    int length = count(in, 1);
    String text = in.toString(in.readerIndex(), length, StandardCharsets.UTF_8);
    in.skipBytes(length);
    return text;
  }

  static void bytes(ByteBuf out, byte[] bytes) {
    unsigned(out, bytes.length);
    out.writeBytes(bytes);
  }

  static byte[] bytes(ByteBuf in) {
    byte[] bytes = new byte[count(in, 1)];
    in.readBytes(bytes);
    return bytes;
  }

  static void numbers(ByteBuf out, int[] numbers) {
    unsigned(out, numbers.length);
    for (int number : numbers) {
      unsigned(out, number);
    }
  }

  static int[] numbers(ByteBuf in) {
    int[] numbers = new int[count(in, 1)];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = (int) unsigned(in);
    }
    return numbers;
  }

  /** A value whose type both sides know; texts say by their length whether they are there. */
  static void value(ByteBuf out, ValueType type, Object value) {
    if (type == ValueType.STRING) {
      if (value == null) {
        out.writeByte(0);
        return;
      }
      byte[] bytes = ((String) value).getBytes(StandardCharsets.UTF_8);
      unsigned(out, bytes.length + 1L);
      out.writeBytes(bytes);
      return;
    }
    if (type == ValueType.BOOL) {
      out.writeByte(value == null ? 2 : (Boolean) value ? 1 : 0);
      return;
    }
    out.writeByte(value == null ? NULL : THERE);
    if (value == null) {
      return;
    }
    switch (type) {
      case FLOAT -> out.writeFloat((Float) value);
      case DOUBLE -> out.writeDouble((Double) value);
      case REFERENCE -> out.writeLong((Long) value);
      default -> signed(out, ((Number) value).longValue());
    }
  }

  static Object value(ByteBuf in, ValueType type) {
    if (type == ValueType.STRING) {
      long length = unsigned(in) - 1;
      if (length < -1 || length > in.readableBytes()) {
        throw new IllegalArgumentException("a text of " + length + " bytes is more than there is");
      }
      return length < 0
          ? null
          : in.readCharSequence((int) length, StandardCharsets.UTF_8).toString();
    }
    int there = in.readByte();
    if (type == ValueType.BOOL) {
      return there == 2 ? null : Boolean.valueOf(there == 1);
    }
    if (there == NULL) {
      return null;
    }
    return switch (type) {
      case FLOAT -> in.readFloat();
      case DOUBLE -> in.readDouble();
      case REFERENCE -> in.readLong();
      default -> type.of(signed(in));
    };
  }

  /** Values that say their types, as parameters of queries do. */
  static void values(ByteBuf out, List<?> values) {
    unsigned(out, values.size());
    for (Object value : values) {
      ValueType type = value == null ? ValueType.STRING : Codec.typeOf(value);
      out.writeByte(type.ordinal());
      value(out, type, value);
    }
  }

  static ArrayList<Object> values(ByteBuf in) {
    int count = count(in, 2);
    ArrayList<Object> values = new ArrayList<>(count);
    ValueType[] types = ValueType.values();
    for (int i = 0; i < count; i++) {
      int type = in.readByte();
      if (type < 0 || type >= types.length) {
        throw new IllegalArgumentException("there is no type " + type);
      }
      values.add(value(in, types[type]));
    }
    return values;
  }
}
