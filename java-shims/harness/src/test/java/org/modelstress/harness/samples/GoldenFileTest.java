package org.modelstress.harness.samples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The golden file fixes the format, byte for byte, for readers and writers in every language. */
class GoldenFileTest {
  @TempDir Path folder;

  @Test
  void writerWritesExactlyTheGoldenFile() throws Exception {
    Path file = folder.resolve("samples.mssf");
    SampleWriter writer =
        new SampleWriter(
            file, 3, 1, List.of("PosLength", "Größe"), Map.of("driver", "null", "clock_ns", 5));
    writeRecords(writer);
    assertArrayEquals(
        getClass().getResourceAsStream("/golden.mssf").readAllBytes(), Files.readAllBytes(file));
  }

  /** Five slots given out: two phases, every kind of value, one that was never finished. */
  static void writeRecords(SampleWriter writer) throws Exception {
    Sample sample = new Sample();
    sample.clearResult();
    sample.thread = 2;
    sample.sequence = 0;
    sample.operation = 1;
    sample.phase = Phase.WARMUP;
    sample.intendedStartNs = 1_000_000_000_001L;
    sample.startNs = 1_000_000_000_002L;
    sample.durationNs = 1_234_567;
    sample.verifyNs = 89;
    sample.items = 6;
    sample.resultCount = 3;
    sample.resultDigest = 0xFEDCBA9876543210L;
    sample.bytesSent = 123;
    sample.bytesReceived = 4_567_890_123L;
    sample.outcome = OutcomeCode.OK;
    writer.claim(0);
    writer.write(0, sample);

    sample.clearResult();
    sample.sequence = 0;
    sample.operation = 0;
    sample.phase = Phase.MEASURE;
    sample.outcome = OutcomeCode.ERROR;
    writer.claim(1);
    writer.write(1, sample);

    writer.claim(2); // never finished

    sample.thread = 63;
    sample.sequence = 2_000_000_000;
    sample.phase = Phase.COOLDOWN;
    sample.outcome = OutcomeCode.REJECTED;
    writer.claim(3);
    writer.write(3, sample);

    sample.sequence = 1;
    sample.attempts = 3;
    sample.thinkNs = 5_000_000_001L;
    sample.outcome = OutcomeCode.ABORTED;
    writer.claim(4);
    writer.write(4, sample);
    writer.close(5);
  }

  @Test
  void readerReadsTheGoldenFile() throws Exception {
    MssfReader reader = MssfReader.open(Path.of(getClass().getResource("/golden.mssf").toURI()));
    assertEquals(5, reader.records());
    Column outcome = reader.column("outcome");
    assertEquals("ok", reader.text(outcome, 0));
    assertEquals("", reader.text(outcome, 2));
    assertEquals("rejected", reader.text(outcome, 3));
    assertEquals("Größe", reader.text(reader.column("operation"), 0));
    assertEquals("cooldown", reader.text(reader.column("phase"), 3));
    assertEquals(0xFEDCBA9876543210L, reader.value(reader.column("result_digest"), 0));
    assertEquals(-1, reader.value(reader.column("bytes_sent"), 1));
    assertEquals(2_000_000_000, reader.value(reader.column("sequence"), 3));
    assertEquals(3, reader.value(reader.column("invocation"), 0));
    assertEquals(1, reader.value(reader.column("client"), 4));
    assertEquals("aborted", reader.text(outcome, 4));
    assertEquals(3, reader.value(reader.column("attempts"), 4));
    assertEquals(5_000_000_001L, reader.value(reader.column("think_ns"), 4));
  }

  @Test
  void theWordAbortedOfOldFilesMeansUnfinished() throws Exception {
    Path old = Path.of(getClass().getResource("/golden-1.mssf").toURI());
    MssfReader reader = MssfReader.open(old);
    assertEquals(0, reader.header().format());
    Column outcome = reader.column("outcome");
    assertEquals("ok", reader.text(outcome, 0));
    assertEquals("timeout", reader.text(outcome, 4));
    byte[] bytes = Files.readAllBytes(old);
    int records = bytes.length - 5 * 96;
    bytes[records + 4 * 96 + outcome.offset()] =
        (byte) reader.header().dictionaries().get("outcome").indexOf("aborted");
    Path changed = folder.resolve("aborted.mssf");
    Files.write(changed, bytes);
    assertEquals("unfinished", MssfReader.open(changed).text(outcome, 4));
  }
}
