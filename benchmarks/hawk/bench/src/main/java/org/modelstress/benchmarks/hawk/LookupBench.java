package org.modelstress.benchmarks.hawk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.benchmarks.common.Cpu;
import org.modelstress.hawk.graph.Backends;
import org.modelstress.hawk.query.Fidelity;
import org.modelstress.hawk.query.Language;
import org.modelstress.hawk.query.QueryEngine;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What an index look-up costs: median CPU time of one thread for {@code Segment.all.select(s |
 * s.length = k)} and ranges of several widths over models of several sizes. One JSON line per
 * point, then the least-squares fit {@code fixed + per hit × hits + c × extent} for each fidelity,
 * relative errors weighted alike: under {@code improved} no share may depend on the extent. The
 * cost of {@code return 1;} stands beside it: what of the fixed part is not the look-up's.
 */
@Command(name = "LookupBench", mixinStandardHelpOptions = true)
public final class LookupBench implements Callable<Integer> {
  private static final int[] WIDTHS = {0, 1, 3, 10, 30, 100, 300};

  @Option(names = "--backend", defaultValue = "neo4j")
  private String backend;

  @Option(names = "--sizes", split = ",", defaultValue = "8,16,32")
  private List<Integer> sizes;

  @Option(names = "--rounds", defaultValue = "51")
  private int rounds;

  @Option(names = "--warm-up", defaultValue = "0.5", description = "CPU seconds per point")
  private double warmUp;

  private record Point(int size, int hits, int extent, double us) {}

  public static void main(String[] args) {
    System.exit(new CommandLine(new LookupBench()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    List<List<Point>> points = List.of(new ArrayList<>(), new ArrayList<>());
    for (int size : sizes) {
      EObject root =
          TrainGenerator.generate(
              Line.LINE_2016, Scenario.REPAIR, size, TrainGenerator.DEFAULT_SEED);
      try (TrainIndex index = new TrainIndex(root, Backends.named(backend), true)) {
        for (Fidelity fidelity : Fidelity.values()) {
          points.get(fidelity.ordinal()).addAll(measure(size, index, fidelity));
        }
      }
    }
    for (Fidelity fidelity : Fidelity.values()) {
      fit(fidelity, points.get(fidelity.ordinal()));
    }
    return 0;
  }

  private List<Point> measure(int size, TrainIndex index, Fidelity fidelity) {
    QueryEngine engine = index.engine(fidelity);
    int extent = run(engine, "return Segment.all;");
    Cpu.warm(() -> run(engine, "return 1;"), warmUp, 20_000);
    double fixed = median(engine, "return 1;");
    List<Point> points = new ArrayList<>();
    for (int width : WIDTHS) {
      String condition = width == 0 ? "s.length = 400" : "s.length <= " + (width - 1000);
      String text = "return Segment.all.select(s | " + condition + ");";
      Point point = new Point(size, run(engine, text), extent, median(engine, text));
      points.add(point);
      System.out.printf(
          Locale.ROOT,
          "{\"fidelity\": \"%s\", \"size\": %d, \"extent\": %d, \"hits\": %d, \"cpu_us\": %.2f,"
              + " \"return_1_us\": %.2f}%n",
          fidelity,
          size,
          extent,
          point.hits(),
          point.us(),
          fixed);
    }
    return points;
  }

  private static int run(QueryEngine engine, String text) {
    return TrainIndex.run(engine, Language.EOL, text, List.of()).size();
  }

  private double median(QueryEngine engine, String text) {
    Runnable run = () -> run(engine, text);
    Cpu.warm(run, warmUp, 20);
    long[] ns = new long[rounds];
    for (int i = 0; i < rounds; i++) {
      ns[i] = Cpu.ns(run);
    }
    return Cpu.median(ns) / 1e3;
  }

  /** Weighted least squares: each point counts by its relative error. */
  private static void fit(Fidelity fidelity, List<Point> points) {
    double[] without = solve(points, false);
    double[] with = solve(points, true);
    System.out.printf(
        Locale.ROOT,
        "%s: %.2f µs + %.4f µs × hits (worst point off by %.0f %%);"
            + " with the extent: %.2f µs + %.4f µs × hits + %.6f µs × extent (%.0f %%)%n",
        fidelity,
        without[0],
        without[1],
        100 * worst(points, without),
        with[0],
        with[1],
        with[2],
        100 * worst(points, with));
  }

  private static double predicted(Point p, double[] c) {
    return c[0] + c[1] * p.hits() + (c.length > 2 ? c[2] * p.extent() : 0);
  }

  private static double worst(List<Point> points, double[] coefficients) {
    return points.stream()
        .mapToDouble(p -> Math.abs(predicted(p, coefficients) - p.us()) / p.us())
        .max()
        .orElse(Double.NaN);
  }

  private static double[] solve(List<Point> points, boolean withExtent) {
    int n = withExtent ? 3 : 2;
    double[][] a = new double[n][n + 1];
    for (Point p : points) {
      double weight = 1 / (p.us() * p.us());
      double[] row = {1, p.hits(), p.extent()};
      for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
          a[i][k] += weight * row[i] * row[k];
        }
        a[i][n] += weight * row[i] * p.us();
      }
    }
    return eliminate(a);
  }

  private static double[] eliminate(double[][] a) {
    int n = a.length;
    for (int i = 0; i < n; i++) {
      for (int row = 0; row < n; row++) {
        double factor = row == i ? 0 : a[row][i] / a[i][i];
        for (int k = i; k <= n && row != i; k++) {
          a[row][k] -= factor * a[i][k];
        }
      }
    }
    double[] x = new double[n];
    for (int i = 0; i < n; i++) {
      x[i] = a[i][n] / a[i][i];
    }
    return x;
  }
}
