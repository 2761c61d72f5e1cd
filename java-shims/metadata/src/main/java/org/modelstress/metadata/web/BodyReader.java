package org.modelstress.metadata.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.Promise;

/** Reads a body as it comes, up to a length; Jetty's own readers of whole bodies have no limit. */
final class BodyReader implements Runnable {
  private final Content.Source source;
  private final int most;
  private final Promise<byte[]> whole;
  private final ByteArrayOutputStream read = new ByteArrayOutputStream();

  /** A body is longer than it may be. */
  static final class TooLong extends IOException {
    private static final long serialVersionUID = 1L;

    TooLong(int most) {
      super("the body is longer than " + most + " bytes");
    }
  }

  /**
   * A reader.
   *
   * @param most bytes of the body
   * @param whole told the body, or why there is none
   */
  BodyReader(Content.Source source, int most, Promise<byte[]> whole) {
    this.source = source;
    this.most = most;
    this.whole = whole;
  }

  @Override
  public void run() {
    while (true) {
      Content.Chunk chunk = source.read();
      if (chunk == null) {
        source.demand(this);
        return;
      }
      if (Content.Chunk.isFailure(chunk)) {
        whole.failed(chunk.getFailure());
        return;
      }
      byte[] bytes = new byte[chunk.remaining()];
      chunk.get(bytes, 0, bytes.length);
      boolean last = chunk.isLast();
      chunk.release();
      if (read.size() + bytes.length > most) {
        TooLong tooLong = new TooLong(most);
        source.fail(tooLong);
        whole.failed(tooLong);
        return;
      }
      read.writeBytes(bytes);
      if (last) {
        whole.succeeded(read.toByteArray());
        return;
      }
    }
  }
}
