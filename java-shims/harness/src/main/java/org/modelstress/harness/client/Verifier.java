package org.modelstress.harness.client;

import java.util.List;
import org.modelstress.harness.samples.Digest;
import org.modelstress.harness.samples.ElementIds;
import org.modelstress.harness.samples.Sample;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Result;

/**
 * Maps the identifiers of a result to element indices and computes their digest, without a copy.
 * Without an identifier file a whole-number identifier is its own index.
 */
final class Verifier {
  private final ElementIds ids;

  Verifier(ElementIds ids) {
    this.ids = ids;
  }

  /**
   * Fills in {@code resultCount} and {@code resultDigest}; of what has no identifiers, the digest
   * is 0.
   *
   * @return null, or one sentence why the result cannot be right
   */
  String verify(Result result, int arity, Sample sample) {
    if (!(result instanceof Ids ids)) {
      sample.resultCount = result.items();
      return null;
    }
    int size = ids.size();
    sample.resultCount = size / arity;
    if (size % arity != 0) {
      return size + " identifiers came back, which is no multiple of the arity " + arity;
    }
    return ids instanceof Ids.Longs longs
        ? longs(longs.values(), size, arity, sample)
        : texts(((Ids.Strings) ids).values(), arity, sample);
  }

  private String longs(long[] values, int size, int arity, Sample sample) {
    long sum = 0;
    for (int i = 0; i < size; ) {
      long match = 0;
      for (int end = i + arity; i < end; i++) {
        long index = ids == null ? values[i] : ids.indexOf(values[i]);
        if (index == ElementIds.UNKNOWN) {
          return "identifier " + values[i] + " is not one of the model's";
        }
        match = Digest.mix(match ^ index);
      }
      sum += match;
    }
    sample.resultDigest = sum;
    return null;
  }

  private String texts(List<String> values, int arity, Sample sample) {
    long sum = 0;
    long match = 0;
    int inMatch = 0;
    for (String value : values) {
      long index = ids == null ? ElementIds.UNKNOWN : ids.indexOf(value);
      if (index == ElementIds.UNKNOWN) {
        return "identifier " + value + " is not one of the model's";
      }
      match = Digest.mix(match ^ index);
      if (++inMatch == arity) {
        sum += match;
        match = 0;
        inMatch = 0;
      }
    }
    sample.resultDigest = sum;
    return null;
  }
}
