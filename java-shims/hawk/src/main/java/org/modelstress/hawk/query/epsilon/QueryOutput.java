package org.modelstress.hawk.query.epsilon;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What queries print, in the server's log: at most {@link #OF_A_QUERY} bytes of an evaluation and
 * {@link #OF_ALL} of all together as long as the server runs. Standard output belongs to the
 * programs' answers.
 */
final class QueryOutput extends OutputStream {
  static final int OF_A_QUERY = 4 * 1024;
  static final int OF_ALL = 1 << 20;

  private static final AtomicInteger LEFT = new AtomicInteger(OF_ALL);

  private int left = OF_A_QUERY;

  /** A stream of a context of its own. */
  PrintStream stream() {
    return new PrintStream(this, true, StandardCharsets.UTF_8);
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    int mine = Math.min(length, left);
    if (mine <= 0) {
      return;
    }
    int before = LEFT.getAndUpdate(all -> Math.max(0, all - mine));
    int written = Math.min(mine, before);
    left -= mine;
    System.err.write(bytes, offset, written);
    if (before > 0 && before <= mine) {
      System.err.println("\nhawk: queries have printed " + OF_ALL + " bytes; the rest is left out");
    }
  }

  @Override
  public void flush() {
    System.err.flush();
  }
}
