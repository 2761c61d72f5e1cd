package org.modelstress.harness.samples;

import java.io.IOException;

/** The disk has no room for more samples; those written so far stay readable. */
public final class FileFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  FileFullException(String message, IOException cause) {
    super(message, cause);
  }
}
