package org.modelstress.benchmarks.hawk;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.harness.server.Stores;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.Backends;
import org.modelstress.hawk.graph.GraphLoader;
import org.modelstress.hawk.index.IndexBuilder;
import org.modelstress.hawk.index.IndexFolder;
import org.modelstress.hawk.index.ModelIndexer;
import org.modelstress.models.ModelFiles;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

/**
 * What indexing costs in CPU time of the whole process, database and garbage collection included,
 * per element of a model that is in memory already.
 *
 * <pre>
 * java -Xmx4g -cp bench.jar org.modelstress.benchmarks.hawk.IndexingBench BACKEND SIZES [ROUNDS]
 * </pre>
 *
 * Prints one JSON object per measured round and phase: {@code graph} is the graph alone; {@code
 * index} is all that a load does, with derived and indexed attributes; {@code read} is reading the
 * model's file. The first size is run twice beforehand to warm up.
 */
public final class IndexingBench {
  private static final int CACHE_MEGABYTES = 512;
  private static final int WARM_UP_ROUNDS = 2;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Backend backend;
  private boolean printing;

  private IndexingBench(Backend backend) {
    this.backend = backend;
  }

  /** Something to be measured. */
  private interface Work {
    void run(Path folder) throws Exception;
  }

  /** See the class. */
  public static void main(String[] args) throws Exception {
    if (args.length < 2) {
      System.err.println("usage: IndexingBench (neo4j|orientdb) SIZE[,SIZE…] [ROUNDS]");
      System.exit(2);
    }
    Backend backend = Backends.named(args[0]);
    List<Integer> sizes = new ArrayList<>();
    for (String size : args[1].split(",")) {
      sizes.add(Integer.parseInt(size));
    }
    IndexingBench bench = new IndexingBench(backend);
    bench.rounds(sizes.get(0), WARM_UP_ROUNDS);
    bench.printing = true;
    for (int size : sizes) {
      bench.rounds(size, args.length > 2 ? Integer.parseInt(args[2]) : 3);
    }
    System.exit(0); // databases may leave threads
  }

  private void rounds(int size, int rounds) throws Exception {
    EObject root =
        TrainGenerator.generate(Line.LINE_2017, Scenario.REPAIR, size, TrainGenerator.DEFAULT_SEED);
    long elements = 1;
    for (var all = root.eAllContents(); all.hasNext(); all.next()) {
      elements++;
    }
    for (int round = 0; round < rounds; round++) {
      measure("graph", size, round, elements, folder -> graph(root, folder));
      measure("index", size, round, elements, folder -> index(root, folder));
    }
    if (printing) {
      Path file = Files.createTempFile("indexing-bench", ".xmi");
      try {
        ModelFiles.save(root, file);
        measure("read", size, 0, elements, folder -> ModelFiles.load(file));
      } finally {
        Files.deleteIfExists(file);
      }
    }
  }

  private void graph(EObject root, Path folder) {
    try (GraphLoader loader = backend.load(folder.resolve("graph"), CACHE_MEGABYTES)) {
      ModelIndexer.index(TrainIndex.PATH, TrainIndex.source(root), loader);
    }
  }

  private void index(EObject root, Path folder) {
    IndexBuilder.build(
        TrainIndex.PATH,
        TrainIndex.source(root),
        TrainIndex.declarations(),
        backend,
        new IndexFolder(folder),
        CACHE_MEGABYTES,
        (done, total) -> {});
  }

  private void measure(String phase, int size, int round, long elements, Work work)
      throws Exception {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    Path folder = Files.createTempDirectory("indexing-bench");
    try {
      long cpu = system.getProcessCpuTime();
      long wall = System.nanoTime();
      work.run(folder);
      double cpuSeconds = (system.getProcessCpuTime() - cpu) / 1e9;
      double wallSeconds = (System.nanoTime() - wall) / 1e9;
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("backend", backend.name());
      line.put("phase", phase);
      line.put("size", size);
      line.put("round", round);
      line.put("elements", elements);
      line.put("cpu_s", cpuSeconds);
      line.put("wall_s", wallSeconds);
      line.put("elements_per_cpu_s", Math.round(elements / cpuSeconds));
      if (printing) {
        System.out.println(JSON.writeValueAsString(line));
      }
    } finally {
      Stores.delete(folder);
    }
  }
}
