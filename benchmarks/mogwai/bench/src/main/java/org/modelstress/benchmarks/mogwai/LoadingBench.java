package org.modelstress.benchmarks.mogwai;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.harness.server.Stores;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.modelstress.mogwai.store.BulkLoader;
import org.modelstress.mogwai.store.NeoEmfModels;

/**
 * What writing a NeoEMF database costs in CPU time of the whole process, compilation and garbage
 * collection included, per element of a model that is in memory already: in bulk, and through
 * NeoEMF's own API.
 *
 * <pre>
 * java -Xmx2g -cp bench.jar org.modelstress.benchmarks.mogwai.LoadingBench SIZES [ROUNDS]
 * </pre>
 *
 * Prints one JSON object per round. The very first round of each way is marked {@code cold}: it is
 * what a process pays that loads one model and ends. Both ways are compared at size 4 first,
 * without the attribute that NeoEMF itself refuses, in alternating rounds.
 */
public final class LoadingBench {
  private static final int COMPARED_SIZE = 4;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private LoadingBench() {}

  /** Something to be measured. */
  private interface Work {
    void run(Path folder) throws Exception;
  }

  /** See the class. */
  public static void main(String[] args) {
    if (args.length < 1) {
      System.err.println("usage: LoadingBench SIZE[,SIZE…] [ROUNDS]");
      System.exit(2);
    }
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
    try {
      compare(rounds);
      for (String size : args[0].split(",")) {
        bulk(Integer.parseInt(size), rounds);
      }
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
    System.exit(0); // databases may leave threads
  }

  private static EObject model(int size) {
    return TrainGenerator.generate(
        Line.LINE_2016, Scenario.REPAIR, size, TrainGenerator.DEFAULT_SEED);
  }

  private static void compare(int rounds) throws Exception {
    EObject root = model(COMPARED_SIZE);
    for (Iterator<EObject> all = root.eAllContents(); all.hasNext(); ) {
      EObject element = all.next();
      element.eUnset(element.eClass().getEStructuralFeature("id"));
    }
    for (int round = 0; round <= rounds; round++) {
      measure(
          "neoemf",
          COMPARED_SIZE,
          round,
          root,
          folder -> NeoEmfModels.persist(List.of(root), folder.resolve("graph")));
      measure("bulk", COMPARED_SIZE, round, root, folder -> load(root, folder));
    }
  }

  private static void bulk(int size, int rounds) throws Exception {
    EObject root = model(size);
    for (int round = 1; round <= rounds; round++) {
      measure("bulk", size, round, root, folder -> load(root, folder));
    }
  }

  private static void load(EObject root, Path folder) throws Exception {
    BulkLoader.load(
        root,
        folder.resolve("graph"),
        folder.resolve("ids.mssf"),
        "0".repeat(64),
        (done, total) -> {});
  }

  private static void measure(String way, int size, int round, EObject root, Work work)
      throws Exception {
    int elements = new ElementIndex(root).size();
    Path folder = Files.createTempDirectory("loading-bench");
    try {
      long cpu = SYSTEM.getProcessCpuTime();
      long wall = System.nanoTime();
      work.run(folder);
      double cpuSeconds = (SYSTEM.getProcessCpuTime() - cpu) / 1e9;
      double wallSeconds = (System.nanoTime() - wall) / 1e9;
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("way", way);
      line.put("size", size);
      line.put("round", round == 0 ? "cold" : round);
      line.put("elements", elements);
      line.put("cpu_s", cpuSeconds);
      line.put("wall_s", wallSeconds);
      line.put("elements_per_cpu_s", Math.round(elements / cpuSeconds));
      line.put("load_average", SYSTEM.getSystemLoadAverage());
      System.out.println(JSON.writeValueAsString(line));
    } finally {
      Stores.delete(folder);
    }
  }
}
