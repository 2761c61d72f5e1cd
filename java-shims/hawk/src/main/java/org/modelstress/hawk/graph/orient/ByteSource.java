package org.modelstress.hawk.graph.orient;

/** Reads what a {@link ByteSink} wrote. */
final class ByteSource {
  private byte[] data;
  private int at;

  /** Begins with the first byte of an array. */
  ByteSource from(byte[] bytes) {
    data = bytes;
    at = 0;
    return this;
  }

  int position() {
    return at;
  }

  void skip(int bytes) {
    at += bytes;
  }

  /** Appends the next bytes to a sink. */
  void copy(int bytes, ByteSink sink) {
    sink.bytes(data, at, bytes);
    at += bytes;
  }

  boolean atEnd() {
    return at >= data.length;
  }

  int oneByte() {
    return data[at++];
  }

  long number() {
    byte next = data[at++];
    if (next >= 0) {
      return next;
    }
    long value = next & 0x7F;
    int shift = 7;
    do {
      next = data[at++];
      value |= (next & 0x7FL) << shift;
      shift += 7;
    } while (next < 0);
    return value;
  }

  int count() {
    return (int) number();
  }

  long signed() {
    long value = number();
    return (value >>> 1) ^ -(value & 1);
  }

  double real() {
    long bits = 0;
    for (int i = 0; i < 8; i++) {
      bits = bits << 8 | data[at++] & 0xFF;
    }
    return Double.longBitsToDouble(bits);
  }

  String text() {
    char[] text = new char[count()];
    for (int i = 0; i < text.length; i++) {
      text[i] = (char) number();
    }
    return new String(text);
  }
}
