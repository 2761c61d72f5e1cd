package org.modelstress.benchmarks.hawk;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.modelstress.queries.Cancellation;
import org.modelstress.harness.server.Stores;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.graph.Backends;
import org.modelstress.hawk.index.IndexBuilder;
import org.modelstress.hawk.index.IndexFolder;
import org.modelstress.hawk.index.LiveIndex;
import org.modelstress.hawk.index.UpdateCounts;
import org.modelstress.hawk.query.Element;
import org.modelstress.hawk.query.Fidelity;
import org.modelstress.hawk.query.Language;
import org.modelstress.hawk.query.QueryScope;
import org.modelstress.models.ModelSource;

/**
 * What models of Java sources cost: reading and indexing them, the queries HQ1 to HQ4, and an
 * update after one compilation unit changed.
 *
 * <pre>
 * java -Xmx4g -cp bench.jar org.modelstress.benchmarks.hawk.GrabatsBench BACKEND ROUNDS MODEL…
 * </pre>
 *
 * Models are {@code model.json} files; the update is measured for those with a file for every
 * compilation unit. To be run in the project's folder. Prints one JSON object per measurement; CPU
 * time of indexing and updates is that of the whole process, that of queries the thread's. The
 * first model is indexed and queried once beforehand to warm up.
 */
public final class GrabatsBench {
  private static final int CACHE_MEGABYTES = 512;
  private static final int WARM_UP_NANOS = 2_000_000_000;
  private static final int EXECUTIONS = 31;
  private static final Path QUERIES = Path.of("queries/grabats/eol");
  private static final List<String> NAMES = List.of("HQ1", "HQ2", "HQ3", "HQ4");

  /**
   * All types that HQ4 does not find. On the ladder, singletons are as frequent everywhere: only
   * beside a query with other hits can what each hit costs be told from what each element does.
   */
  private static final String OTHERS =
      "return TypeDeclaration.all.select(td | td.isSingleton = false);";

  private static final String DOM = "http://modelstress.org/jdtast/DOM";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private final Backend backend;
  private final int rounds;
  private boolean printing;

  private GrabatsBench(Backend backend, int rounds) {
    this.backend = backend;
    this.rounds = rounds;
  }

  /** Something to be measured. */
  private interface Work<T> {
    T run() throws Exception;
  }

  /** See the class. */
  public static void main(String[] args) throws Exception {
    if (args.length < 3) {
      System.err.println("usage: GrabatsBench (neo4j|orientdb) ROUNDS MODEL…");
      System.exit(2);
    }
    System.err.println("load average before: " + SYSTEM.getSystemLoadAverage());
    GrabatsBench bench =
        new GrabatsBench(Backends.named(args[0]), Math.max(1, Integer.parseInt(args[1])));
    List<Path> models = Stream.of(args).skip(2).map(Path::of).toList();
    bench.index(models.get(0));
    bench.printing = true;
    for (Path model : models) {
      bench.index(model);
    }
    System.err.println("load average after: " + SYSTEM.getSystemLoadAverage());
    System.exit(0); // databases may leave threads
  }

  /** As in queries/grabats/attributes.yaml. */
  private static List<AttributeDeclaration> declarations() {
    return List.of(
        derived(
            "MethodDeclaration", "isStatic", "self.modifiers.exists(mod : Modifier | mod.static)"),
        derived(
            "MethodDeclaration", "isPublic", "self.modifiers.exists(mod : Modifier | mod.public)"),
        derived(
            "MethodDeclaration",
            "isSameReturnType",
            "self.eContainer.isTypeOf(TypeDeclaration) and self.returnType.isTypeOf(SimpleType)"
                + " and self.returnType.name.fullyQualifiedName"
                + " = self.eContainer.name.fullyQualifiedName"),
        derived(
            "TypeDeclaration",
            "isSingleton",
            "self.bodyDeclarations.exists(md : MethodDeclaration |"
                + " md.modifiers.exists(mod : Modifier | mod.public)"
                + " and md.modifiers.exists(mod : Modifier | mod.static)"
                + " and md.returnType.isTypeOf(SimpleType)"
                + " and md.returnType.name.fullyQualifiedName = self.name.fullyQualifiedName)"));
  }

  private static AttributeDeclaration derived(String type, String name, String logic) {
    return AttributeDeclaration.of(
        Map.of(
            "kind", "derived",
            "metamodel", DOM,
            "type", type,
            "name", name,
            "value_type", "Boolean",
            "logic", logic));
  }

  private void index(Path model) throws Exception {
    for (int round = 0; round < (printing ? rounds : 1); round++) {
      Path folder = Files.createTempDirectory("grabats-bench");
      try {
        index(model, folder, round);
      } finally {
        Stores.delete(folder);
      }
    }
  }

  private void index(Path model, Path folder, int round) throws Exception {
    Path index = Files.createDirectory(folder.resolve("index"));
    Map<String, Object> line = line(model, "index", round);
    ModelSource source = timed(line, "read", () -> ModelSource.read(model));
    long files = source.files().size();
    IndexBuilder.Built built =
        timed(
            line,
            "index",
            () ->
                IndexBuilder.build(
                    model,
                    source,
                    declarations(),
                    backend,
                    new IndexFolder(index),
                    CACHE_MEGABYTES,
                    (done, total) -> {}));
    line.put("elements", built.elements());
    line.put("elements_per_cpu_s", Math.round(built.elements() / (double) line.get("index_cpu_s")));
    line.put("bytes", size(new IndexFolder(index).graph()));
    line.put("failures", built.failures());
    print(line);
    for (Fidelity fidelity : Fidelity.values()) {
      query(model, index, fidelity, round);
    }
    if (files > 1) {
      update(model, folder, (double) line.get("index_cpu_s"), round);
    }
  }

  private static long size(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  private void query(Path model, Path index, Fidelity fidelity, int round) throws Exception {
    try (LiveIndex live = LiveIndex.open(backend, index, CACHE_MEGABYTES, fidelity)) {
      TreeSet<Long> expected = null;
      for (String name : NAMES) {
        String text = Files.readString(QUERIES.resolve(name + ".eol"));
        TreeSet<Long> found = run(live, text);
        if (expected != null && !expected.equals(found)) {
          throw new IllegalStateException(name + " does not find what HQ1 finds");
        }
        expected = found;
        query(live, text, line(model, fidelity, name, round), found.size());
      }
      query(live, OTHERS, line(model, fidelity, "others", round), run(live, OTHERS).size());
    }
  }

  private void query(LiveIndex index, String text, Map<String, Object> line, int hits)
      throws Exception {
    line.put("hits", hits);
    line.put("median_cpu_ms", median(index, text));
    print(line);
  }

  private Map<String, Object> line(Path model, Fidelity fidelity, String query, int round) {
    Map<String, Object> line = line(model, "query", round);
    line.put("fidelity", fidelity.name().toLowerCase(Locale.ROOT));
    line.put("query", query);
    return line;
  }

  private static TreeSet<Long> run(LiveIndex index, String text) throws Exception {
    return index.query(
        Language.EOL,
        text,
        QueryScope.ALL,
        new Cancellation(),
        (result, reader) -> {
          TreeSet<Long> nodes = new TreeSet<>();
          ((Iterable<?>) result).forEach(each -> nodes.add(((Element) each).node()));
          return nodes;
        });
  }

  /** Milliseconds of CPU time of the calling thread. */
  private static double median(LiveIndex index, String text) throws Exception {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < WARM_UP_NANOS) {
      run(index, text);
    }
    double[] times = new double[EXECUTIONS];
    for (int i = 0; i < EXECUTIONS; i++) {
      long cpu = THREADS.getCurrentThreadCpuTime();
      run(index, text);
      times[i] = (THREADS.getCurrentThreadCpuTime() - cpu) / 1e6;
    }
    Arrays.sort(times);
    return times[EXECUTIONS / 2];
  }

  /** Indexes a copy of the model and changes one unit of it after the other. */
  private void update(Path model, Path folder, double indexing, int round) throws Exception {
    TouchedModel copy = new TouchedModel(model, folder.resolve("model"));
    Path index = Files.createDirectory(folder.resolve("updated"));
    IndexBuilder.build(
        copy.path(),
        ModelSource.read(copy.path()),
        declarations(),
        backend,
        new IndexFolder(index),
        CACHE_MEGABYTES,
        (done, total) -> {});
    Random random = new Random(round);
    try (LiveIndex live = LiveIndex.open(backend, index, CACHE_MEGABYTES, Fidelity.IMPROVED)) {
      for (int i = 0; i < 5; i++) {
        Map<String, Object> line = line(model, "update", round);
        line.put("unit", copy.touch(random));
        UpdateCounts counts =
            timed(
                line,
                "update",
                () -> {
                  live.synchronise(true);
                  return live.lastUpdate();
                });
        line.put("counts", counts.toString());
        line.put("message", live.message());
        line.put("of_indexing", (double) line.get("update_cpu_s") / indexing);
        print(line);
      }
    }
  }

  private Map<String, Object> line(Path model, String phase, int round) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("backend", backend.name());
    line.put("model", model.toString());
    line.put("phase", phase);
    line.put("round", round);
    return line;
  }

  private static <T> T timed(Map<String, Object> line, String what, Work<T> work) throws Exception {
    long cpu = SYSTEM.getProcessCpuTime();
    long wall = System.nanoTime();
    T result = work.run();
    line.put(what + "_cpu_s", (SYSTEM.getProcessCpuTime() - cpu) / 1e9);
    line.put(what + "_wall_s", (System.nanoTime() - wall) / 1e9);
    return result;
  }

  private void print(Map<String, Object> line) throws IOException {
    if (printing) {
      System.out.println(JSON.writeValueAsString(line));
    }
  }
}
