package org.modelstress.harness.client;

import java.io.IOException;
import org.modelstress.harness.samples.FileFullException;
import org.modelstress.harness.samples.Sample;
import org.modelstress.harness.samples.SampleWriter;

/** Where samples go. Called by many threads, for different slots. */
interface Recorder {
  /**
   * Makes room for a sample before its clock starts.
   *
   * @throws FileFullException when the disk is full
   */
  void claim(long slot);

  /** Makes room for all slots below this one. */
  void reserve(long slots);

  /** Records an execution that has ended; its slot was claimed. */
  void record(long slot, Sample sample);

  /** Called about twice a second by a thread that does not measure. */
  void tick();

  /** Closes the file; {@code slots} were given out and nobody is recording any more. */
  void close(long slots) throws IOException;

  /** One record per execution. */
  record Rows(SampleWriter writer) implements Recorder {
    @Override
    public void claim(long slot) {
      writer.claim(slot);
    }

    @Override
    public void reserve(long slots) {
      writer.reserve(slots);
    }

    @Override
    public void record(long slot, Sample sample) {
      writer.write(slot, sample);
    }

    @Override
    public void tick() {
      // a mapped file needs no flushing
    }

    @Override
    public void close(long slots) throws IOException {
      writer.close(slots);
    }
  }
}
