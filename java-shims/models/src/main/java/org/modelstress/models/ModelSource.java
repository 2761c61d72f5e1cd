package org.modelstress.models;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;

/**
 * A model as its files were at one moment: one file of a known metamodel, or the files and
 * metamodels that a {@code model.json} names.
 *
 * @param roots elements without container, in the order of the files; all elements are in one
 *     resource, whatever file they came from
 * @param metamodels by nsURI, without Ecore
 * @param files in their order
 * @param sha256 hash of the model file or of {@code model.json}, hexadecimal
 */
public record ModelSource(
    List<EObject> roots, EPackage.Registry metamodels, List<File> files, String sha256) {
  /**
   * A model file.
   *
   * @param path absolute for a single file, otherwise relative to {@code model.json}
   * @param sha256 of its bytes, hexadecimal
   * @param contents the topmost elements in it; some may have a container in another file
   */
  public record File(String path, String sha256, List<EObject> contents) {}

  /**
   * Reads a model.
   *
   * @param path of a model file or of a {@code model.json}
   * @throws ModelException if a file is missing, not understood, another one than described, or if
   *     elements are missing or contain each other; one sentence
   */
  public static ModelSource read(Path path) throws ModelException {
    return ModelDescription.isNamedBy(path) ? ModelReader.read(path) : readFile(path);
  }

  private static ModelSource readFile(Path path) throws ModelException {
    File file = ModelFiles.read(path);
    return new ModelSource(file.contents(), Metamodels.models(), List.of(file), file.sha256());
  }

  /** The packages that are in no other one, in the order of their nsURIs. */
  public List<EPackage> rootPackages() {
    return metamodels.keySet().stream()
        .sorted()
        .map(metamodels::getEPackage)
        .filter(ePackage -> ePackage.getESuperPackage() == null)
        .toList();
  }

  /** The first root: the only one of most models. */
  public EObject root() {
    return roots.get(0);
  }

  /**
   * Hash of a file's bytes, hexadecimal.
   *
   * @throws ModelException if the file cannot be read
   */
  static String sha256(Path file) throws ModelException {
    try {
      return Hashes.sha256(file);
    } catch (IOException e) {
      throw new ModelException("Model " + file + " cannot be read: " + e + ".", e);
    }
  }
}
