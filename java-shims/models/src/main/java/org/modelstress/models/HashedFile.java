package org.modelstress.models;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A file that is hashed while it is read, so that the hash is of what was read. */
final class HashedFile implements AutoCloseable {
  private final DigestInputStream bytes;

  HashedFile(Path file) throws IOException {
    try {
      bytes =
          new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance("SHA-256"));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  /** The bytes, to be read once; closing the stream does nothing, as parsers like to do that. */
  InputStream stream() {
    return new FilterInputStream(bytes) {
      @Override
      public void close() {
        // the rest is still to be hashed
      }
    };
  }

  /** Hash of the whole file, hexadecimal; reads what nobody has read yet. To be asked once. */
  String sha256() throws IOException {
    bytes.transferTo(OutputStream.nullOutputStream());
    return HexFormat.of().formatHex(bytes.getMessageDigest().digest());
  }

  @Override
  public void close() throws IOException {
    bytes.close();
  }
}
