package org.modelstress.harness.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DigestTest {
  /** The published sequence of splitmix64 from seed 0: output i is the finaliser of i × gamma. */
  @Test
  void mixIsSplitmix64() {
    long gamma = 0x9E3779B97F4A7C15L;
    assertEquals(0xE220A8397B1DCDAFL, Digest.mix(0));
    assertEquals(0x6E789E6AA1B965F4L, Digest.mix(gamma));
    assertEquals(0x06C45D188009454FL, Digest.mix(2 * gamma));
    assertEquals(new SplittableRandom(0).nextLong(), Digest.mix(0));
  }

  @Test
  void emptyBagIsZero() {
    assertEquals(0, Digest.of(new long[0], 0, 7));
  }

  @Test
  void orderOfMatchesDoesNotMatterButOrderInsideDoes() {
    long digest = Digest.of(new long[] {1, 2, 3, 4}, 4, 2);
    assertEquals(digest, Digest.of(new long[] {3, 4, 1, 2}, 4, 2));
    assertNotEquals(digest, Digest.of(new long[] {2, 1, 3, 4}, 4, 2));
    assertEquals(Digest.mix(Digest.mix(1) ^ 2) + Digest.mix(Digest.mix(3) ^ 4), digest, "by hand");
  }

  @Test
  void aMatchTwiceIsNotAMatchOnce() {
    assertNotEquals(Digest.of(new long[] {5}, 1, 1), Digest.of(new long[] {5, 5}, 2, 1));
  }

  @Test
  void onlyTheFirstSizeEntriesCount() {
    assertEquals(Digest.of(new long[] {8}, 1, 1), Digest.of(new long[] {8, 9, 9}, 1, 1));
  }

  @Test
  void refusesIncompleteMatches() {
    assertThrows(IllegalArgumentException.class, () -> Digest.of(new long[3], 3, 2));
  }
}
