package org.modelstress.mogwai.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/**
 * Identifiers like NeoEMF's own, but the same ones whenever the same model is loaded: for elements
 * 23 characters as from EMF's {@code EcoreUtil.generateUUID}, for edges UUIDs. They begin with the
 * place in the model, so that no two are equal, and so that Lucene, which sorts them, finds them
 * nearly sorted; the rest differs from model to model.
 */
final class Identifiers {
  private static final char[] DIGITS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".toCharArray();
  private static final int PLACE_DIGITS = 6;
  private static final int HALF_DIGITS = 8;

  private final long[] seeds = new long[4];
  private long edges;

  /** Identifiers of the model with this hash. */
  Identifiers(String model) {
    try {
      ByteBuffer hash =
          ByteBuffer.wrap(
              MessageDigest.getInstance("SHA-256").digest(model.getBytes(StandardCharsets.UTF_8)));
      for (int i = 0; i < seeds.length; i++) {
        seeds[i] = hash.getLong();
      }
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  /** Identifier of the element at an index. */
  String element(int index) {
    char[] text = new char[1 + PLACE_DIGITS + 2 * HALF_DIGITS];
    text[0] = '_';
    putDigits(text, 1, PLACE_DIGITS, index);
    putDigits(text, 1 + PLACE_DIGITS, HALF_DIGITS, mix(seeds[0] + index));
    putDigits(text, 1 + PLACE_DIGITS + HALF_DIGITS, HALF_DIGITS, mix(seeds[1] + index));
    return new String(text);
  }

  /** The lowest digits of a number to the base 64. */
  private static void putDigits(char[] text, int at, int count, long number) {
    long rest = number;
    for (int i = at + count - 1; i >= at; i--) {
      text[i] = DIGITS[(int) (rest & 63)];
      rest >>>= 6;
    }
  }

  /** Identifier of one more edge; there may be 2³² of them. */
  String nextEdge() {
    long high = edges << 32 | mix(seeds[2] + edges) & 0xFFFF0FFFL | 0x4000;
    long low = mix(seeds[3] + edges) & 0x3FFFFFFFFFFFFFFFL | 0x8000000000000000L;
    edges++;
    return new UUID(high, low).toString();
  }

  /** The last steps of splitmix64, which leave no visible pattern. */
  private static long mix(long x) {
    long y = (x ^ x >>> 30) * 0xBF58476D1CE4E5B9L;
    y = (y ^ y >>> 27) * 0x94D049BB133111EBL;
    return y ^ y >>> 31;
  }
}
