package org.modelstress.hawk.graph.orient;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.modelstress.hawk.graph.GraphException;

/** The folder of a graph: locked while in use, and marked when loading has ended. */
final class GraphFolder implements AutoCloseable {
  private static final String MARK = "graph.complete";
  private static final String LOCK = "graph.lock";

  /** Changes with the schema. */
  private static final String VERSION = "modelstress graph on OrientDB, layout 2\n";

  private final Path path;
  private final FileChannel lock;

  private GraphFolder(Path path) throws IOException {
    this.path = path;
    this.lock =
        FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (!isLocked()) {
      lock.close();
      throw new GraphException("The graph in " + path + " is in use.", null);
    }
  }

  private boolean isLocked() throws IOException {
    try {
      return lock.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  /** Takes an empty or missing folder. */
  static GraphFolder begin(Path path) {
    try {
      Files.createDirectories(path);
      try (Stream<Path> files = Files.list(path)) {
        if (files.findAny().isPresent()) {
          throw new GraphException("The folder " + path + " for a new graph is not empty.", null);
        }
      }
      return new GraphFolder(path);
    } catch (IOException e) {
      throw new GraphException("The folder " + path + " cannot be written.", e);
    }
  }

  /** Takes the folder of a graph that was loaded completely. */
  static GraphFolder enter(Path path) {
    Path mark = path.resolve(MARK);
    try {
      if (!Files.isRegularFile(mark)) {
        throw new GraphException("There is no completely loaded graph in " + path + ".", null);
      }
      if (!new String(Files.readAllBytes(mark)).equals(VERSION)) {
        throw new GraphException(
            "The graph in " + path + " is damaged or of another version; load it again.", null);
      }
      return new GraphFolder(path);
    } catch (IOException e) {
      throw new GraphException("The graph in " + path + " cannot be read.", e);
    }
  }

  Path path() {
    return path;
  }

  /** Forces all files to disk, then marks the graph as complete. */
  void complete() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(path)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) {
      force(file);
    }
    Path mark = path.resolve(MARK);
    Files.writeString(mark, VERSION);
    force(mark);
  }

  private static void force(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      throw new GraphException("The folder " + path + " could not be unlocked.", e);
    }
  }
}
