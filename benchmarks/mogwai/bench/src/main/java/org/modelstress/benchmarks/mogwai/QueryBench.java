package org.modelstress.benchmarks.mogwai;

import fr.inria.atlanmod.neoemf.data.blueprints.neo4j.option.BlueprintsNeo4jResourceOptions.CacheType;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.benchmarks.common.Cpu;
import org.modelstress.benchmarks.common.PlainTrain;
import org.modelstress.queries.Cancellation;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelException;
import org.modelstress.models.Oracle;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.mogwai.gremlin.QueryEngine;
import org.modelstress.mogwai.store.StoreOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What queries over the graph cost as a multiple of plain Java over the EMF model: median CPU time
 * of one thread, both measured in alternating rounds of one run, every result checked.
 */
@Command(name = "QueryBench", mixinStandardHelpOptions = true)
public final class QueryBench implements Callable<Integer> {
  @Option(names = "--size", defaultValue = "32", description = "of the 2016 repair model")
  private int size;

  @Option(names = "--rounds", defaultValue = "15")
  private int rounds;

  @Option(names = "--warm-up", defaultValue = "4", description = "CPU seconds per query and side")
  private double warmUp;

  @Option(names = "--cache", defaultValue = "SOFT", description = "Neo4j's cache of objects")
  private CacheType cache;

  @Option(names = "--queries", defaultValue = "queries/train/ocl")
  private Path queries;

  @Option(names = "--only", description = "part of the name of the queries to run")
  private String only = "";

  /**
   * A query.
   *
   * @param slow takes seconds itself: no warm-up, few rounds
   */
  private record Case(String name, String file, List<String> roles, boolean slow) {}

  private static final List<String> NEIGHBOR =
      List.of("semaphore", "route1", "route2", "sensor1", "sensor2", "te1", "te2");

  private static final List<Case> CASES =
      List.of(
          of("PosLength", "segment"),
          of("SwitchMonitored", "sw"),
          of("RouteSensor", "route", "sensor", "swP", "sw"),
          of("SwitchSet", "semaphore", "route", "swP", "sw"),
          of(
              "ConnectedSegments",
              "sensor",
              "segment1",
              "segment2",
              "segment3",
              "segment4",
              "segment5",
              "segment6"),
          new Case("SemaphoreNeighbor", "mogwai/SemaphoreNeighbor.backward", NEIGHBOR, false),
          new Case("SemaphoreNeighbor", "SemaphoreNeighbor", NEIGHBOR, true));

  private static Case of(String name, String... roles) {
    return new Case(name, name, List.of(roles), false);
  }

  public static void main(String[] args) {
    System.exit(new CommandLine(new QueryBench()).execute(args));
  }

  @Override
  public Integer call() throws IOException, ModelException {
    EObject root =
        TrainGenerator.generate(Line.LINE_2016, Scenario.REPAIR, size, TrainGenerator.DEFAULT_SEED);
    ElementIndex elements = new ElementIndex(root);
    PlainTrain plain = new PlainTrain(root);
    System.out.printf(
        Locale.ROOT,
        "2016 repair %d, cache %s, load average %.2f%n%-36s%9s%12s%12s%10s%n",
        size,
        cache,
        load(),
        "query",
        "matches",
        "Java ms",
        "ours ms",
        "ratio");
    StoreOptions options = new StoreOptions(cache, StoreOptions.DEFAULT.cacheMegabytes());
    try (TrainGraph graph = new TrainGraph(root, options)) {
      QueryEngine engine = new QueryEngine(graph.graph(), 16);
      for (Case c : CASES) {
        if (c.file().contains(only)) {
          measure(c, graph, engine, elements, plain);
        }
      }
    }
    System.out.printf(Locale.ROOT, "load average %.2f%n", load());
    return 0;
  }

  private static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  private void measure(
      Case c, TrainGraph graph, QueryEngine engine, ElementIndex elements, PlainTrain plain)
      throws IOException {
    String text = Files.readString(queries.resolve(c.file() + ".ocl"));
    Object[] last = new Object[2];
    Runnable java = () -> last[0] = plain.matches(c.name());
    Runnable ours = () -> last[1] = run(engine, text);
    Cpu.warm(java, warmUp / 2, 50);
    Cpu.warm(ours, c.slow() ? 0 : warmUp, 1);
    int times = c.slow() ? 1 : 5;
    int turns = c.slow() ? 3 : rounds;
    long[] javaNs = new long[turns * times];
    long[] oursNs = new long[turns * times];
    for (int i = 0; i < turns * times; i += times) {
      for (int k = 0; k < times; k++) {
        javaNs[i + k] = Cpu.ns(java);
      }
      for (int k = 0; k < times; k++) {
        oursNs[i + k] = Cpu.ns(ours);
        check(c, last, graph, elements);
      }
    }
    double javaMs = Cpu.median(javaNs) / 1e6;
    double oursMs = Cpu.median(oursNs) / 1e6;
    System.out.printf(
        Locale.ROOT,
        "%-36s%9d%12.4f%12.4f%10.3f%n",
        c.file(),
        ((List<?>) last[0]).size() / c.roles().size(),
        javaMs,
        oursMs,
        oursMs / javaMs);
  }

  private static Object run(QueryEngine engine, String text) {
    try {
      return engine.run(text, new Cancellation());
    } catch (Exception e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  @SuppressWarnings("unchecked")
  private static void check(Case c, Object[] last, TrainGraph graph, ElementIndex elements) {
    int arity = c.roles().size();
    long[] expected = elements.indicesOf((List<EObject>) last[0]);
    long[] actual = graph.indices(last[1], c.roles());
    if (expected.length != actual.length
        || Oracle.digest(expected, arity) != Oracle.digest(actual, arity)) {
      throw new IllegalStateException(
          c.file() + ": " + actual.length / arity + " matches, not " + expected.length / arity);
    }
  }
}
