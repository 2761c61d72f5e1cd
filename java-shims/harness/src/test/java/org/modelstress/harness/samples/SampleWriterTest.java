package org.modelstress.harness.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleWriterTest {
  @TempDir Path folder;

  @Test
  void growsAcrossChunksUnderManyThreads() throws Exception {
    Path file = folder.resolve("s.mssf");
    int count = 100_000; // seven chunks
    SampleWriter writer = new SampleWriter(file, 0, 0, List.of("a"), Map.of());
    AtomicLong slots = new AtomicLong();
    Thread[] threads = new Thread[4];
    for (int t = 0; t < threads.length; t++) {
      int number = t;
      threads[t] =
          new Thread(
              () -> {
                Sample sample = new Sample();
                sample.thread = number;
                sample.outcome = OutcomeCode.OK;
                long slot;
                while ((slot = slots.getAndIncrement()) < count) {
                  sample.sequence = (int) slot;
                  sample.durationNs = slot * 3;
                  writer.claim(slot);
                  writer.write(slot, sample);
                }
              });
      threads[t].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    writer.close(count);
    MssfReader reader = MssfReader.open(file);
    assertEquals(count, reader.records());
    Column outcome = reader.column("outcome");
    Column duration = reader.column("duration_ns");
    for (long i = 0; i < count; i++) {
      assertEquals(1, reader.value(outcome, i));
      assertEquals(i * 3, reader.value(duration, i));
    }
  }

  @Test
  void measuredDataIsNeverOverwritten() throws Exception {
    Path file = Files.createFile(folder.resolve("s.mssf"));
    assertThrows(
        FileAlreadyExistsException.class,
        () -> new SampleWriter(file, 0, 0, List.of("a"), Map.of()));
  }

  @Test
  void readerLeavesOutAnIncompleteLastRecord() throws Exception {
    Path file = folder.resolve("s.mssf");
    SampleWriter writer = new SampleWriter(file, 0, 0, List.of("a"), Map.of());
    writer.claim(0);
    writer.close(2);
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length - 10));
    assertEquals(1, MssfReader.open(file).records());
  }
}
