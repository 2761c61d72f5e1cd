package org.modelstress.hawk.graph.orient;

import java.util.Arrays;

/** Numbers and texts written one after the other into a growing array. */
final class ByteSink {
  private byte[] data = new byte[256];
  private int size;

  int size() {
    return size;
  }

  void clear() {
    size = 0;
  }

  byte[] toBytes() {
    return Arrays.copyOf(data, size);
  }

  void oneByte(int value) {
    room(1);
    data[size++] = (byte) value;
  }

  /** A number of seven bits a byte, the least significant first: small ones are short. */
  void number(long value) {
    room(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      data[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    data[size++] = (byte) rest;
  }

  /** A number of either sign, short when it is near zero. */
  void signed(long value) {
    number((value << 1) ^ (value >> 63));
  }

  void real(double value) {
    room(8);
    long bits = Double.doubleToRawLongBits(value);
    for (int shift = 56; shift >= 0; shift -= 8) {
      data[size++] = (byte) (bits >>> shift);
    }
  }

  /** Any sequence of UTF-16 code units; ASCII takes a byte for each. */
  void text(String value) {
    number(value.length());
    for (int i = 0; i < value.length(); i++) {
      number(value.charAt(i));
    }
  }

  void bytes(byte[] source, int from, int length) {
    room(length);
    System.arraycopy(source, from, data, size, length);
    size += length;
  }

  /** What another sink holds, behind its length. */
  void block(ByteSink other) {
    number(other.size);
    bytes(other.data, 0, other.size);
  }

  private void room(int more) {
    if (size + more > data.length) {
      data = Arrays.copyOf(data, Math.max(2 * data.length, size + more));
    }
  }
}
