package org.modelstress.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.drivers.FlakyDriver;
import org.modelstress.harness.samples.Digest;
import org.modelstress.harness.samples.MssfReader;

@Timeout(30)
class HistogramTest {
  @TempDir Path folder;

  @Test
  void everyExecutionIsInExactlyOneHistogramByThreadSecondAndResult() throws Exception {
    Bench bench =
        new Bench(
                folder,
                new FlakyDriver(),
                3,
                """
                {"operations": [{"name": "A", "arity": 2}], "executions": 900,
                 "timeout_ms": 1000, "samples": "histogram",
                 "warmup": {"executions": 30, "seconds": 0},
                 "options": {"latency_ms": 4, "error": 0.1, "wrong": 0.1}}
                """)
            .run();
    assertEquals(0, MssfReader.open(bench.file).records());
    Path lines = bench.file.resolveSibling(bench.file.getFileName() + HistogramRecorder.SUFFIX);
    long measured = 0;
    long errors = 0;
    Set<String> digests = new HashSet<>();
    Set<List<Object>> keys = new HashSet<>();
    for (String text : Files.readAllLines(lines)) {
      JsonNode line = new ObjectMapper().readTree(text);
      byte[] bytes = Base64.getDecoder().decode(line.get("duration_ns").asText());
      Histogram histogram = Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0);
      assertEquals(line.get("executions").asLong(), histogram.getTotalCount());
      assertTrue(histogram.getMinValue() >= 3_990_000, "4 ms each, to three digits");
      assertTrue(
          keys.add(
              List.of(
                  line.get("thread"),
                  line.get("second_ns"),
                  line.get("phase"),
                  line.get("outcome"),
                  line.get("result_digest"))));
      if (line.get("phase").asText().equals("measure")) {
        measured += histogram.getTotalCount();
        errors += line.get("outcome").asText().equals("error") ? histogram.getTotalCount() : 0;
        if (line.get("outcome").asText().equals("ok")) {
          digests.add(line.get("result_digest").asText());
        }
      }
    }
    assertEquals(900, measured);
    assertTrue(errors > 0 && errors < 300, "errors " + errors);
    assertEquals(
        Set.of(
            Long.toUnsignedString(Digest.of(new long[] {0, 1}, 2, 2)),
            Long.toUnsignedString(Digest.of(new long[] {2, 1}, 2, 2))),
        digests);
    assertTrue(keys.stream().map(k -> k.get(1)).distinct().count() >= 2, "more than one second");
  }

  @Test
  void aLateExecutionBelongsToTheSecondInWhichItEnded() throws Exception {
    TestDriver slow =
        new TestDriver(
            operation -> {
              TestDriver.sleep(10);
              return TestDriver.OK;
            });
    Bench bench =
        new Bench(
                folder,
                slow,
                1,
                """
                {"operations": [{"name": "A"}], "executions": 200, "timeout_ms": 5000,
                 "samples": "histogram", "warmup": {"executions": 0, "seconds": 0},
                 "mode": {"kind": "open", "rate_per_s": 1000}}
                """)
            .run();
    long ended = System.nanoTime();
    Path lines = bench.file.resolveSibling(bench.file.getFileName() + HistogramRecorder.SUFFIX);
    for (String text : Files.readAllLines(lines)) {
      long second = new ObjectMapper().readTree(text).get("second_ns").asLong();
      assertTrue(second <= ended, "nothing ends after the end");
    }
  }
}
