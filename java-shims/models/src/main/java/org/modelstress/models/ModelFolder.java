package org.modelstress.models;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.emf.common.util.URI;
import org.modelstress.harness.server.Stores;

/**
 * A model's folder while it is made: written under another name beside its own and renamed at the
 * end, so that it is whole or absent. To be closed, which removes what was not finished.
 */
public final class ModelFolder implements AutoCloseable {
  private static final int REMOVAL_ATTEMPTS = 5;

  private final Path target;
  private final Path temporary;
  private final List<ModelDescription.Entry> metamodels = new ArrayList<>();
  private final List<ModelDescription.Entry> files = new ArrayList<>();
  private final Thread atExit = new Thread(this::removeQuietly); // SIGTERM and Ctrl-C
  private boolean closed;

  /**
   * Begins.
   *
   * @param target the folder to be; one that is there is replaced at the end if it is a model and
   *     nothing else, and refused otherwise
   * @throws ModelException if it cannot be made there
   */
  public ModelFolder(Path target) throws ModelException {
    this.target = target.toAbsolutePath().normalize();
    if (Files.exists(this.target)) {
      checkReplaceable();
    }
    this.temporary =
        this.target.resolveSibling(
            "." + this.target.getFileName() + "." + ProcessHandle.current().pid() + ".tmp");
    try {
      Stores.delete(temporary); // of a process that had this number and was killed
      Files.createDirectory(temporary);
    } catch (IOException e) {
      throw new ModelException(
          "Folder of " + target + " does not exist or cannot be written; create it first.", e);
    }
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** What is removed later has to be what is made here, and not somebody's work beside it. */
  private void checkReplaceable() throws ModelException {
    if (!Files.isRegularFile(description())) {
      throw new ModelException(target + " is there already and is no model; remove it first.");
    }
    ModelDescription described = ModelDescription.read(description());
    Set<Path> known = new HashSet<>(Set.of(description()));
    described.metamodels().forEach(entry -> known.add(target.resolve(entry.path())));
    described.files().forEach(entry -> known.add(target.resolve(entry.path())));
    try (Stream<Path> all = Files.walk(target)) {
      Optional<Path> other =
          all.filter(path -> !Files.isDirectory(path) && !known.contains(path)).findFirst();
      if (other.isPresent()) {
        throw new ModelException(
            target
                + " is there already and has more than a model in it, such as "
                + target.relativize(other.get())
                + "; remove it first.");
      }
    } catch (IOException | UncheckedIOException e) {
      throw new ModelException(target + " is there already and cannot be read: " + e + ".", e);
    }
  }

  private Path description() {
    return target.resolve(ModelDescription.NAME);
  }

  /**
   * Address of a file inside a model: links between the files of a model are relative to theirs.
   *
   * @param path relative to the model's folder
   */
  public static URI address(String path) {
    return ModelReader.address(path);
  }

  /**
   * Where to write a file that is then {@linkplain #added added}; its folder is there.
   *
   * @param path relative to the model's folder
   * @throws IOException if its folder cannot be made, or this is closed
   */
  public synchronized Path place(String path) throws IOException {
    if (closed) {
      throw new IOException("stopped");
    }
    Path file = temporary.resolve(path);
    Files.createDirectories(file.getParent());
    return file;
  }

  /** Says that a metamodel is in its place. */
  public void addedMetamodel(String path) throws IOException {
    metamodels.add(entry(path));
  }

  /**
   * Says that a model file is in its place; their order is that of the model's elements.
   *
   * @return the file's sha256, hexadecimal
   */
  public String added(String path) throws IOException {
    files.add(entry(path));
    return files.get(files.size() - 1).sha256();
  }

  private ModelDescription.Entry entry(String path) throws IOException {
    return new ModelDescription.Entry(path, Hashes.sha256(temporary.resolve(path)));
  }

  /**
   * Writes {@code model.json} and gives the folder its name.
   *
   * @return the {@code model.json}
   */
  public synchronized Path finish() throws IOException {
    if (closed) {
      throw new IOException("stopped");
    }
    ModelDescription.of(metamodels, files).write(temporary);
    Path old = target.resolveSibling(temporary.getFileName() + ".old");
    Stores.delete(old);
    if (Files.exists(target)) {
      Files.move(target, old, StandardCopyOption.ATOMIC_MOVE);
    }
    Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    Stores.delete(old);
    return description();
  }

  @Override
  public void close() {
    removeQuietly();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // it is running
    }
  }

  private synchronized void removeQuietly() {
    closed = true;
    for (int attempt = 1; Files.exists(temporary); attempt++) {
      try {
        Stores.delete(temporary);
      } catch (IOException e) {
        // at exit the main thread may be writing one more file into what is removed here
        if (attempt == REMOVAL_ATTEMPTS) {
          System.err.println("warning: " + temporary + " cannot be removed: " + e);
          return;
        }
      }
    }
  }
}
