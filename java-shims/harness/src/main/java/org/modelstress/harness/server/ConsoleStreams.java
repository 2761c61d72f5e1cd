package org.modelstress.harness.server;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Keeps standard output for the conversation with the controller: what libraries print goes to
 * standard error, and nothing follows the last word there.
 */
public final class ConsoleStreams {
  private final PrintStream protocol;
  private final PrintStream log;
  private final Mutable gate;

  private ConsoleStreams(PrintStream protocol, PrintStream log) {
    this.protocol = protocol;
    this.log = log;
    this.gate = new Mutable(log);
  }

  /** Takes both streams over; once per process, before any library is touched. */
  public static ConsoleStreams take() {
    // not System.out: its encoding is the locale's, the conversation is UTF-8
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    ConsoleStreams streams = new ConsoleStreams(out, System.err);
    PrintStream others = new PrintStream(streams.gate, true, StandardCharsets.UTF_8);
    System.setOut(others);
    System.setErr(others);
    return streams;
  }

  /** Says one line to the controller. */
  public synchronized void say(String line) {
    protocol.print(line + "\n");
    protocol.flush();
  }

  /** The last line of standard error; later prints of anybody are swallowed. */
  public synchronized void lastWord(String sentence) {
    gate.muted = true;
    log.println("error: " + sentence.replaceAll("\\s*\\R\\s*", " "));
    log.flush();
  }

  private static final class Mutable extends FilterOutputStream {
    private volatile boolean muted;

    Mutable(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int b) throws IOException {
      if (!muted) {
        out.write(b);
      }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (!muted) {
        out.write(bytes, offset, length);
      }
    }

    @Override
    public void close() {
      // a library may close System.err; the process still needs it
    }
  }
}
