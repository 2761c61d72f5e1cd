package org.modelstress.benchmarks.mogwai;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.modelstress.benchmarks.common.Cpu;
import org.modelstress.queries.InvalidQueryException;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.mogwai.gremlin.QueryEngine;
import org.modelstress.mogwai.store.StoreOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What the translation of a query costs: of one that is kept, and of a text that was never seen
 * before, in a JVM that has translated others; CPU time of one thread.
 */
@Command(name = "TranslationBench", mixinStandardHelpOptions = true)
public final class TranslationBench implements Callable<Integer> {
  private static final int KEPT_PER_SAMPLE = 1000;

  @Option(names = "--texts", defaultValue = "300", description = "translated per query")
  private int texts;

  @Option(names = "--warm-up", defaultValue = "100", description = "texts before, per query")
  private int warmUp;

  @Option(names = "--queries", defaultValue = "queries/train/ocl")
  private Path queries;

  public static void main(String[] args) {
    System.exit(new CommandLine(new TranslationBench()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    List<String> files =
        List.of(
            "PosLength",
            "SwitchMonitored",
            "RouteSensor",
            "SwitchSet",
            "ConnectedSegments",
            "SemaphoreNeighbor",
            "mogwai/SemaphoreNeighbor.backward");
    try (TrainGraph graph =
        new TrainGraph(
            TrainGenerator.generate(
                Line.LINE_2016, Scenario.REPAIR, 1, TrainGenerator.DEFAULT_SEED),
            StoreOptions.DEFAULT)) {
      System.out.printf("%-36s%14s%14s%14s%n", "query", "kept us", "new ms", "new, longest");
      for (String file : files) {
        measure(file, new QueryEngine(graph.graph(), 64));
      }
    }
    System.out.printf(
        Locale.ROOT,
        "load average %.2f%n",
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    return 0;
  }

  private void measure(String file, QueryEngine engine) throws Exception {
    String text = Files.readString(queries.resolve(file + ".ocl"));
    for (int i = 0; i < warmUp; i++) {
      check(engine, unique(text, -1 - i));
    }
    long[] fresh = new long[texts];
    for (int i = 0; i < texts; i++) {
      String other = unique(text, i);
      fresh[i] = Cpu.ns(() -> check(engine, other));
    }
    long[] kept = new long[texts];
    for (int i = 0; i < texts; i++) {
      kept[i] =
          Cpu.ns(
                  () -> {
                    for (int k = 0; k < KEPT_PER_SAMPLE; k++) {
                      check(engine, text);
                    }
                  })
              / KEPT_PER_SAMPLE;
    }
    long longest = 0;
    for (long ns : fresh) {
      longest = Math.max(longest, ns);
    }
    System.out.printf(
        Locale.ROOT,
        "%-36s%14.3f%14.2f%14.2f%n",
        file,
        Cpu.median(kept) / 1e3,
        Cpu.median(fresh) / 1e6,
        longest / 1e6);
  }

  /** As with {@code query_text: unique}. */
  private static String unique(String text, int number) {
    return text.replace("/*unique*/", String.format(Locale.ROOT, " and %1$d = %1$d", number));
  }

  private static void check(QueryEngine engine, String text) {
    try {
      engine.check(text);
    } catch (InvalidQueryException e) {
      throw new IllegalStateException(e);
    }
  }
}
