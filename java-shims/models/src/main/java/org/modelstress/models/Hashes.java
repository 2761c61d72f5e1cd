package org.modelstress.models;

import java.io.IOException;
import java.nio.file.Path;

/** Hashes of files. */
public final class Hashes {
  private Hashes() {}

  /** SHA-256 of a file's bytes, hexadecimal. */
  public static String sha256(Path file) throws IOException {
    try (HashedFile hashed = new HashedFile(file)) {
      return hashed.sha256();
    }
  }
}
