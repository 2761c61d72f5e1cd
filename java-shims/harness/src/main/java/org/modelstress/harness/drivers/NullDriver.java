package org.modelstress.harness.drivers;

import java.util.stream.LongStream;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.SessionContext;

/**
 * Does nothing, and says so at once: what remains is the cost of the harness. Option {@code items}
 * (default 1): every result is the identifiers 0, 1, … of that number.
 */
public final class NullDriver implements Driver {
  @Override
  public String name() {
    return "null";
  }

  @Override
  public Session open(Endpoints endpoints, SessionContext who) {
    Options options = who.options();
    long[] ids = LongStream.range(0, options.number("items", 1)).toArray();
    Outcome outcome = Outcome.ok(new Ids.Longs(ids, ids.length));
    return new NullSession(outcome);
  }

  @Override
  public void close() {
    // owns nothing
  }

  private record NullSession(Outcome outcome) implements Session {
    @Override
    public Outcome execute(Operation operation) {
      return outcome;
    }

    @Override
    public void close() {
      // owns nothing
    }
  }
}
