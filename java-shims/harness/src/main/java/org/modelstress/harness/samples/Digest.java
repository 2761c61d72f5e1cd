package org.modelstress.harness.samples;

/**
 * The digest of a result, a bag of matches; independent of the order of the matches, dependent on
 * the order inside each. splitmix64 after Steele, Lea and Flood, "Fast splittable pseudorandom
 * number generators" (OOPSLA 2014).
 */
public final class Digest {
  private Digest() {}

  /** One step of splitmix64: a bijection on 64 bits that scatters neighbouring numbers. */
  public static long mix(long x) {
    long z = x + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /**
   * Digest of the first {@code size} entries of {@code indices}, {@code arity} of them per match.
   *
   * @return wrapping sum over the matches, 0 for the empty bag
   * @throws IllegalArgumentException when {@code size} is not a multiple of {@code arity}
   */
  public static long of(long[] indices, int size, int arity) {
    if (arity < 1 || size % arity != 0) {
      throw new IllegalArgumentException(size + " indices are not matches of " + arity + " each");
    }
    long sum = 0;
    for (int i = 0; i < size; ) {
      long match = 0;
      for (int end = i + arity; i < end; i++) {
        match = mix(match ^ indices[i]);
      }
      sum += match;
    }
    return sum;
  }
}
