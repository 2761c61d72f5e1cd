package org.modelstress.harness.client;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.modelstress.harness.samples.FileFullException;
import org.modelstress.harness.samples.OutcomeCode;
import org.modelstress.harness.samples.Phase;
import org.modelstress.harness.samples.Sample;
import org.modelstress.harness.samples.SampleWriter;

/**
 * For studies with too many executions to keep each: one HdrHistogram per thread, second and kind
 * of result, as JSON lines beside the sample file (which then holds a header and no records). The
 * kind includes count and digest, so that every execution can still be verified.
 */
final class HistogramRecorder implements Recorder {
  /** Appended to the name of the sample file. */
  static final String SUFFIX = ".histograms.jsonl";

  private static final JsonMapper JSON = new JsonMapper();
  private static final int DIGITS = 3;
  private static final long SECOND = 1_000_000_000L;

  private record Kind(
      Phase phase, int operation, OutcomeCode outcome, int resultCount, long digest) {}

  /** What one thread measured of one kind in one second. */
  private static final class Bucket {
    final long second;
    final Histogram durations = new Histogram(DIGITS);
    final Histogram lateness = new Histogram(DIGITS);
    long verifyNs;
    long items;
    long attempts;
    long thinkNs;
    long bytesSent;
    long bytesReceived;

    Bucket(long second) {
      this.second = second;
    }

    void add(Sample sample) {
      durations.recordValue(Math.max(0, sample.durationNs));
      lateness.recordValue(Math.max(0, sample.startNs - sample.intendedStartNs));
      verifyNs += sample.verifyNs;
      items += sample.items;
      attempts += sample.attempts;
      thinkNs += sample.thinkNs;
      bytesSent = sum(bytesSent, sample.bytesSent);
      bytesReceived = sum(bytesReceived, sample.bytesReceived);
    }

    private static long sum(long total, long more) {
      return total < 0 || more < 0 ? -1 : total + more;
    }
  }

  private final SampleWriter header;
  private final Path file;
  private final Writer writer;
  private final Workload workload;
  private final List<Map<Kind, Bucket>> threads;

  HistogramRecorder(Path samples, SampleWriter header, Workload workload, int threads)
      throws IOException {
    this.header = header;
    this.workload = workload;
    this.file = samples.resolveSibling(samples.getFileName() + SUFFIX);
    this.writer =
        Files.newBufferedWriter(
            file, StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    this.threads =
        java.util.stream.Stream.<Map<Kind, Bucket>>generate(HashMap::new).limit(threads).toList();
  }

  @Override
  public void claim(long slot) {
    // a histogram has no slots
  }

  @Override
  public void reserve(long slots) {
    // likewise
  }

  @Override
  public void record(long slot, Sample sample) {
    Map<Kind, Bucket> buckets = threads.get(sample.thread);
    Kind kind =
        new Kind(
            sample.phase,
            sample.operation,
            sample.outcome,
            sample.resultCount,
            sample.resultDigest);
    // in which it ended: durations count from the intended start
    long second =
        Math.floorDiv(sample.intendedStartNs + sample.durationNs + sample.thinkNs, SECOND);
    synchronized (buckets) {
      Bucket bucket = buckets.get(kind);
      if (bucket == null || bucket.second != second) {
        if (bucket != null) {
          write(sample.thread, kind, bucket);
        }
        bucket = new Bucket(second);
        buckets.put(kind, bucket);
      }
      bucket.add(sample);
    }
  }

  @Override
  public void tick() {
    // one second later, when nobody can still be recording an execution that ended in it
    flush(Math.floorDiv(System.nanoTime(), SECOND) - 1);
  }

  /** Writes what belongs to seconds before this one. */
  private void flush(long second) {
    for (int thread = 0; thread < threads.size(); thread++) {
      Map<Kind, Bucket> buckets = threads.get(thread);
      synchronized (buckets) {
        Iterator<Map.Entry<Kind, Bucket>> each = buckets.entrySet().iterator();
        while (each.hasNext()) {
          Map.Entry<Kind, Bucket> entry = each.next();
          if (entry.getValue().second < second) {
            write(thread, entry.getKey(), entry.getValue());
            each.remove();
          }
        }
      }
    }
    try {
      synchronized (writer) {
        writer.flush();
      }
    } catch (IOException e) {
      throw full(e);
    }
  }

  private void write(int thread, Kind kind, Bucket bucket) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("invocation", workload.invocation());
    line.put("client", workload.client());
    line.put("thread", thread);
    line.put("second_ns", bucket.second * SECOND);
    line.put("phase", kind.phase.text());
    line.put("operation", workload.operations().get(kind.operation).name());
    line.put("outcome", kind.outcome.text());
    line.put("result_count", kind.resultCount);
    line.put("result_digest", Long.toUnsignedString(kind.digest));
    line.put("executions", bucket.durations.getTotalCount());
    line.put("verify_ns", bucket.verifyNs);
    line.put("items", bucket.items);
    line.put("attempts", bucket.attempts);
    line.put("think_ns", bucket.thinkNs);
    line.put("bytes_sent", bucket.bytesSent);
    line.put("bytes_received", bucket.bytesReceived);
    line.put("duration_ns", encode(bucket.durations));
    line.put("lateness_ns", encode(bucket.lateness));
    try {
      String text = JSON.writeValueAsString(line);
      synchronized (writer) {
        writer.write(text);
        writer.write('\n');
      }
    } catch (IOException e) {
      throw full(e);
    }
  }

  private static String encode(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(java.util.Arrays.copyOf(buffer.array(), length));
  }

  private FileFullException full(IOException e) {
    return new FileFullException(file, e);
  }

  @Override
  public void close(long slots) throws IOException {
    try (writer) {
      flush(Long.MAX_VALUE);
    } finally {
      header.close(0);
    }
  }
}
