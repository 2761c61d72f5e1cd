package org.modelstress.databases;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Folders as one file, with empty folders and the right to execute, which servers ask for. */
final class Tar {
  private static final int BUFFER = 1 << 16;
  private static final int OWNER_EXECUTES = 0100;

  private Tar() {}

  /** Writes a folder to a new file. */
  static void pack(Path folder, Path file) throws IOException {
    List<Path> entries;
    try (Stream<Path> all = Files.walk(folder)) {
      entries = all.filter(path -> !path.equals(folder)).sorted().toList();
    }
    try (TarArchiveOutputStream out =
        new TarArchiveOutputStream(
            new BufferedOutputStream(Files.newOutputStream(file), BUFFER), "UTF-8")) {
      out.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      for (Path path : entries) {
        String name = folder.relativize(path).toString();
        if (Files.isSymbolicLink(path)) {
          TarArchiveEntry link = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
          link.setLinkName(Files.readSymbolicLink(path).toString());
          out.putArchiveEntry(link);
          out.closeArchiveEntry();
          continue;
        }
        TarArchiveEntry entry = new TarArchiveEntry(path, name);
        if (entry.isFile() && Files.isExecutable(path)) {
          entry.setMode(entry.getMode() | OWNER_EXECUTES);
        }
        out.putArchiveEntry(entry);
        if (entry.isFile()) {
          Files.copy(path, out);
        }
        out.closeArchiveEntry();
      }
    }
  }

  /** As {@link #unpack(InputStream, Path)}, of a file. */
  static void unpack(Path file, Path folder) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER)) {
      unpack(in, folder);
    }
  }

  /**
   * Writes what is in an archive to a folder that only this user may read.
   *
   * @throws IOException where an entry is neither a file nor a folder nor a link inside of it
   */
  static void unpack(InputStream archive, Path folder) throws IOException {
    privateFolder(folder);
    Path root = folder.toAbsolutePath().normalize();
    try (TarArchiveInputStream in = new TarArchiveInputStream(archive, "UTF-8")) {
      TarArchiveEntry entry;
      while ((entry = in.getNextEntry()) != null) {
        Path path = inside(root, root.resolve(entry.getName()));
        if (entry.isDirectory()) {
          privateFolder(path);
          continue;
        }
        privateFolder(path.getParent());
        if (entry.isSymbolicLink()) {
          inside(root, path.resolveSibling(entry.getLinkName()));
          Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else if (entry.isFile()) {
          Files.copy(in, path);
          Files.setPosixFilePermissions(path, rights((entry.getMode() & OWNER_EXECUTES) != 0));
        } else {
          throw new IOException(entry.getName() + " is neither a file nor a folder");
        }
      }
    }
  }

  private static Path inside(Path root, Path path) throws IOException {
    Path normal = path.normalize();
    if (!normal.startsWith(root)) {
      throw new IOException(path + " is outside of " + root);
    }
    return normal;
  }

  private static void privateFolder(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder);
      Files.setPosixFilePermissions(folder, rights(true));
    }
  }

  private static Set<PosixFilePermission> rights(boolean executable) {
    Set<PosixFilePermission> rights =
        EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    if (executable) {
      rights.add(PosixFilePermission.OWNER_EXECUTE);
    }
    return rights;
  }
}
