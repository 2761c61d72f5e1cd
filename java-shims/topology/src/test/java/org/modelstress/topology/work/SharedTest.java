package org.modelstress.topology.work;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SharedTest {
  @Test
  void everyClientGetsAFairShareOnce() {
    Shared shared = new Shared();
    shared.begin(new long[] {1, 2}, LongStream.range(0, 300).boxed().toList());
    Deque<Long> first = shared.join(5);
    assertEquals(300, first.size());
    Deque<Long> second = shared.join(6);
    Deque<Long> third = shared.join(7);
    assertEquals(List.of(100, 100, 100), List.of(first.size(), second.size(), third.size()));
    Set<Long> all = new HashSet<>(first);
    all.addAll(second);
    all.addAll(third);
    assertEquals(300, all.size());
    assertSame(second, shared.join(6));
    assertEquals(100, third.size());
  }
}
