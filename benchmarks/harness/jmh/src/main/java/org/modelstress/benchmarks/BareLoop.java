package org.modelstress.benchmarks;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.modelstress.harness.drivers.NullDriver;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Options;
import org.modelstress.harness.spi.Outcome;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What an execution of the null driver costs when nobody measures it: the zero of the scale. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class BareLoop {
  private final Driver driver = new NullDriver();
  private final Endpoint endpoint = new Endpoint(URI.create("null://127.0.0.1"));
  private final Options options = new Options(1000, Map.of());
  private final Operation operation = new Operation("A", null, Map.of(), 0);

  /** Open, execute, close. */
  @Benchmark
  public Outcome execute() throws Exception {
    try (Driver.Session session = driver.open(endpoint, options)) {
      return session.execute(operation);
    }
  }

  /** The same between two readings of the clock, the least that any harness must do. */
  @Benchmark
  public long executeAndReadTheClockTwice() throws Exception {
    long start = System.nanoTime();
    try (Driver.Session session = driver.open(endpoint, options)) {
      if (session.execute(operation) == null) {
        throw new IllegalStateException();
      }
    }
    return System.nanoTime() - start;
  }
}
