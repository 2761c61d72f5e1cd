package org.modelstress.harness.client;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.modelstress.harness.samples.Column;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.samples.MssfReader;
import org.modelstress.harness.samples.Phase;
import org.modelstress.harness.samples.SampleWriter;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Options;

/** Runs a workload inside the test and reads the sample file back. */
final class Bench implements LoadGenerator.Listener {
  /** One record, read back. */
  record Row(
      String phase,
      String outcome,
      String operation,
      int thread,
      long sequence,
      long intendedStartNs,
      long startNs,
      long durationNs,
      long verifyNs,
      long items,
      long resultCount,
      long resultDigest,
      long attempts,
      long thinkNs) {
    long endNs() {
      return intendedStartNs + durationNs + thinkNs;
    }
  }

  final Failures failures = new Failures();
  final Path file;
  final Workload workload;
  final LoadGenerator generator;
  private final Recorder recorder;
  volatile LoadGenerator.Progress progress;
  final List<LoadGenerator.Progress> progresses = Collections.synchronizedList(new ArrayList<>());
  long windowEndNs;
  long windowToldNs;
  LoadGenerator.Result warmUp;
  LoadGenerator.Verdict verdict;
  long warmedNs;
  BooleanSupplier release = () -> true;
  LoadGenerator.Result measured;

  Bench(Path folder, Driver driver, int threads, String json) throws Exception {
    Path workloadFile = Files.createTempFile(folder, "workload", ".json");
    Files.writeString(workloadFile, json);
    file = workloadFile.resolveSibling(workloadFile.getFileName() + ".mssf");
    workload = Workload.read(workloadFile);
    SampleWriter writer =
        new SampleWriter(
            file,
            workload.invocation(),
            workload.client(),
            workload.operations().stream().map(Workload.Entry::name).toList(),
            Map.of());
    recorder =
        workload.samples() == Workload.Samples.ROWS
            ? new Recorder.Rows(writer)
            : new HistogramRecorder(file, writer, workload, threads);
    Setup setup =
        new Setup(
            driver,
            new Target(Endpoints.of(new Endpoint(URI.create("test://nowhere")))),
            new Options(workload.timeoutMs(), workload.options()),
            workload.connection() == Workload.Connection.REUSED,
            new OperationPlan(workload),
            new Verifier(workload.ids() == null ? null : IdsFile.read(workload.ids())),
            recorder,
            failures,
            new java.util.concurrent.atomic.AtomicLong());
    generator = new LoadGenerator(setup, workload, threads);
  }

  /** Warm-up, window, end. */
  Bench run() throws Exception {
    generator.start();
    generator.warmUp(this);
    measured = generator.measure(this);
    generator.close(1000);
    return this;
  }

  /** Goes on after a hold, at the same address. */
  void resume() {
    generator.resume(old -> Endpoints.of(new Endpoint(URI.create("test://nowhere"))));
  }

  /** Finished executions, by phase and number. */
  List<Row> rows() throws Exception {
    MssfReader reader = MssfReader.open(file);
    List<Row> rows = new ArrayList<>();
    for (long i = 0; i < reader.records(); i++) {
      if (!text(reader, "outcome", i).isEmpty()) {
        rows.add(
            new Row(
                text(reader, "phase", i),
                text(reader, "outcome", i),
                text(reader, "operation", i),
                (int) value(reader, "thread", i),
                value(reader, "sequence", i),
                value(reader, "intended_start_ns", i),
                value(reader, "start_ns", i),
                value(reader, "duration_ns", i),
                value(reader, "verify_ns", i),
                value(reader, "items", i),
                value(reader, "result_count", i),
                value(reader, "result_digest", i),
                value(reader, "attempts", i),
                value(reader, "think_ns", i)));
      }
    }
    rows.sort(Comparator.comparing(Row::phase).thenComparing(Row::sequence));
    return rows;
  }

  List<Row> rows(Phase phase) throws Exception {
    return rows().stream().filter(r -> r.phase.equals(phase.text())).toList();
  }

  /** Outcomes of the measured executions, by number. */
  List<String> outcomes() throws Exception {
    return rows(Phase.MEASURE).stream().map(Row::outcome).toList();
  }

  List<String> messages() {
    List<String> messages = new ArrayList<>();
    for (Failures.Detail d = failures.poll(); d != null; d = failures.poll()) {
      messages.add(d.message());
    }
    return messages;
  }

  private static long value(MssfReader reader, String name, long i) throws Exception {
    return reader.value(reader.column(name), i);
  }

  private static String text(MssfReader reader, String name, long i) throws Exception {
    Column column = reader.column(name);
    return reader.text(column, i);
  }

  @Override
  public void progress(LoadGenerator.Progress now) {
    progress = now;
    progresses.add(now);
  }

  @Override
  public void warmed(LoadGenerator.Result result, LoadGenerator.Verdict of) {
    warmUp = result;
    verdict = of;
    warmedNs = System.nanoTime();
  }

  @Override
  public boolean released() {
    return release.getAsBoolean();
  }

  @Override
  public void windowEnded(long clockNs) {
    windowEndNs = clockNs;
    windowToldNs = System.nanoTime();
  }
}
