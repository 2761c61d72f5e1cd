package org.modelstress.harness.server;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;

/** Store folders: private copies for {@code serve}, clean ones for {@code load}. */
public final class Stores {
  private Stores() {}

  /**
   * Copies the loaded store to {@code work/store}, or makes an empty folder there if there is no
   * store to load; what stood there is replaced.
   *
   * @return the private store
   * @throws ServerException when the store is missing (4) or cannot be copied (6)
   */
  public static Path copyToWork(ServerConfig config) throws ServerException {
    Path source = config.store();
    if (source != null && !Files.isDirectory(source)) {
      throw new ServerException(
          ServerException.Exit.STORE, "store " + source + " is missing: load it first", null);
    }
    Path target = config.work().resolve("store");
    try {
      delete(target);
      if (source == null) {
        Files.createDirectories(target);
      } else {
        copy(source, target);
      }
    } catch (IOException e) {
      String what =
          source == null
              ? "an empty store cannot be made in "
              : "store " + source + " cannot be copied to ";
      throw new ServerException(ServerException.Exit.INTERNAL, what + target + ": " + e, e);
    }
    return target;
  }

  private static void copy(Path source, Path target) throws IOException {
    Files.walkFileTree(
        source,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectories(target.resolve(source.relativize(folder).toString()));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(
                file,
                target.resolve(source.relativize(file).toString()),
                StandardCopyOption.COPY_ATTRIBUTES);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Deletes a folder and what is in it, links as links; a missing one is fine. */
  public static void delete(Path folder) throws IOException {
    if (!Files.exists(folder, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
