package org.modelstress.metadata.work;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.commons.rng.simple.RandomSource;
import org.junit.jupiter.api.Test;

class AccessPatternTest {
  private static final long COUNT = 1_000;

  private static Map<Long, Integer> drawn(String name, int times) {
    LongSupplier places =
        AccessPattern.of(name, COUNT, new AtomicLong(), RandomSource.XO_RO_SHI_RO_128_PP.create(1));
    Map<Long, Integer> counts = new HashMap<>();
    for (int i = 0; i < times; i++) {
      long place = places.getAsLong();
      assertTrue(place >= 0 && place < COUNT, name + ": " + place);
      counts.merge(place, 1, Integer::sum);
    }
    return counts;
  }

  @Test
  void patternsWithTurnsReachEveryObject() {
    for (String name : new String[] {"sequential", "scattered"}) {
      assertEquals(COUNT, drawn(name, (int) COUNT).size(), name);
    }
  }

  @Test
  void likelihoodsAreThoseOfTheirNames() {
    assertTrue(drawn("uniform", 100_000).values().stream().allMatch(n -> n > 50 && n < 160));
    assertTrue(drawn("recent", 1_000).keySet().stream().allMatch(place -> place >= 990));
    int most = drawn("zipf", 100_000).values().stream().max(Integer::compare).orElseThrow();
    assertTrue(most > 5_000, "the object that is asked for most often: " + most);
  }

  @Test
  void anotherPatternIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> drawn("random", 1));
  }
}
