package org.modelstress.models;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/**
 * A model's folder while it is made: written under another name beside its own and renamed at the
 * end, so that it is whole or absent. To be closed, which removes what was not finished.
 */
public final class ModelFolder implements AutoCloseable {
  private final Path target;
  private final Path temporary;
  private final List<ModelDescription.Entry> metamodels = new ArrayList<>();
  private final List<ModelDescription.Entry> files = new ArrayList<>();

  /**
   * Begins.
   *
   * @param target the folder to be; one that is there is replaced at the end if it has a {@code
   *     model.json}, and refused if it has something else
   * @throws ModelException if it cannot be made there
   */
  public ModelFolder(Path target) throws ModelException {
    this.target = target.toAbsolutePath().normalize();
    this.temporary =
        this.target.resolveSibling(
            "." + this.target.getFileName() + "." + ProcessHandle.current().pid() + ".tmp");
    if (Files.exists(this.target) && !Files.isRegularFile(description())) {
      throw new ModelException(target + " is there already and is no model; remove it first.");
    }
    try {
      Files.createDirectory(temporary);
    } catch (IOException e) {
      throw new ModelException(
          "Folder of " + target + " does not exist or cannot be written; create it first.", e);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(this::removeQuietly)); // SIGTERM and Ctrl-C
  }

  private Path description() {
    return target.resolve(ModelDescription.NAME);
  }

  /**
   * Where to write a file that is then {@linkplain #added added}; its folder is there.
   *
   * @param path relative to the model's folder
   */
  public Path place(String path) throws IOException {
    Path file = temporary.resolve(path);
    Files.createDirectories(file.getParent());
    return file;
  }

  /** Says that a metamodel is in its place. */
  public void addedMetamodel(String path) throws IOException {
    metamodels.add(entry(path));
  }

  /** Says that a model file is in its place; their order is that of the model's elements. */
  public void added(String path) throws IOException {
    files.add(entry(path));
  }

  private ModelDescription.Entry entry(String path) throws IOException {
    return new ModelDescription.Entry(path, Hashes.sha256(temporary.resolve(path)));
  }

  /**
   * Writes {@code model.json} and gives the folder its name.
   *
   * @return the {@code model.json}
   */
  public Path finish() throws IOException {
    ModelDescription.of(metamodels, files).write(temporary);
    if (Files.exists(target)) {
      remove(target);
    }
    Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    return description();
  }

  @Override
  public void close() {
    removeQuietly();
  }

  private void removeQuietly() {
    try {
      remove(temporary);
    } catch (IOException e) {
      System.err.println("warning: " + temporary + " cannot be removed: " + e);
    }
  }

  private static void remove(Path folder) throws IOException {
    if (!Files.exists(folder)) {
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
          public FileVisitResult postVisitDirectory(Path each, IOException failure)
              throws IOException {
            Files.delete(each);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
