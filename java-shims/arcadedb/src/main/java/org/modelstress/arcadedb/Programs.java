package org.modelstress.arcadedb;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** ArcadeDB's programs and their Java runtime, which the build puts beside the jars. */
final class Programs {
  private Programs() {}

  /**
   * {@code target/dist/programs/arcadedb_embedded}, from {@code target/dist/arcadedb.jar} or from
   * classes.
   *
   * @throws IOException where there is none
   */
  static Path folder() throws IOException {
    try {
      Path code =
          Path.of(Programs.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path dist = Files.isDirectory(code) ? code.resolveSibling("dist") : code.getParent();
      Path found = dist.resolve("programs/arcadedb_embedded");
      if (Files.isExecutable(found.resolve("jre/bin/java"))) {
        return found;
      }
      throw new IOException("there is no ArcadeDB in " + found + "; build with 'make build'");
    } catch (URISyntaxException e) {
      throw new IOException("the folder of this program has no path", e);
    }
  }
}
