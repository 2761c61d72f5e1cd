package org.modelstress.harness.samples;

import java.io.IOException;
import java.nio.file.Path;

/** The disk has no room for more samples; those written so far stay readable. */
public final class FileFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public FileFullException(Path file, IOException cause) {
    super(
        file + ": no room for more samples (" + cause.getMessage() + "): free space there", cause);
  }
}
