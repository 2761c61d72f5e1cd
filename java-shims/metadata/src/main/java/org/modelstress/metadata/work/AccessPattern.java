package org.modelstress.metadata.work;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;
import org.modelstress.harness.samples.Digest;

/** Which of the loaded objects is asked for next (the report's section 6: worst to best case). */
final class AccessPattern {
  /** All patterns. */
  static final List<String> NAMES = List.of("uniform", "zipf", "recent", "sequential", "scattered");

  private static final double ZIPF = 0.99; // as in YCSB
  private static final double RECENT = 0.01;
  private static final long STRIDE = 2_654_435_761L; // prime, so that every object has its turn

  private AccessPattern() {}

  /**
   * Places of objects, from 0 to below the number of objects.
   *
   * @param name {@code uniform}: each as likely; {@code zipf}: few often, wherever they are; {@code
   *     recent}: the last hundredth; {@code sequential}: one after the other; {@code scattered}:
   *     all in turn, neighbours far apart, so that no cache of pages or objects helps
   * @param count of objects, at least 1
   * @param shared of all sessions of the process, for patterns in which they take turns
   * @throws IllegalArgumentException where there is no such pattern
   */
  static LongSupplier of(String name, long count, AtomicLong shared, UniformRandomProvider random) {
    return switch (name) {
      case "uniform" -> () -> random.nextLong(count);
      case "zipf" -> {
        int most = (int) Math.min(count, Integer.MAX_VALUE);
        var sampler = RejectionInversionZipfSampler.of(random, most, ZIPF);
        yield () -> Long.remainderUnsigned(Digest.mix(sampler.sample()), count);
      }
      case "recent" -> {
        long recent = Math.max(1, (long) (count * RECENT));
        yield () -> count - 1 - random.nextLong(recent);
      }
      case "sequential" -> () -> Math.floorMod(shared.getAndIncrement(), count);
      case "scattered" -> () -> Math.floorMod(shared.getAndIncrement() * STRIDE, count);
      default ->
          throw new IllegalArgumentException("access: is " + name + "; it is one of " + NAMES);
    };
  }
}
