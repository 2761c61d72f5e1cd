package org.modelstress.models.jdt;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Jars of sources written by tests. */
final class Jars {
  private Jars() {}

  /** Writes entry names and their texts, uncompressed: a test can find them and damage them. */
  static Path write(Path jar, Map<String, String> sources) throws IOException {
    try (OutputStream out = Files.newOutputStream(jar);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.setLevel(Deflater.NO_COMPRESSION);
      for (Map.Entry<String, String> source : sources.entrySet()) {
        zip.putNextEntry(new ZipEntry(source.getKey()));
        zip.write(source.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
    return jar;
  }
}
