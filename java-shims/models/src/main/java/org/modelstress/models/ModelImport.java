package org.modelstress.models;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EPackage;

/** Brings somebody's metamodels and model files into a model's folder, after checking them. */
public final class ModelImport {
  private ModelImport() {}

  /**
   * Checks and copies a model. Files keep their places relative to one another.
   *
   * @param metamodels Ecore files
   * @param files XMI or binary files, in the order that the elements are to have
   * @param output the model's folder
   * @return its {@code model.json}
   * @throws ModelException if something is missing, does not conform to the metamodels or cannot be
   *     written; nothing is left then
   */
  public static Path run(List<Path> metamodels, List<Path> files, Path output)
      throws ModelException {
    List<Path> all = new ArrayList<>(metamodels);
    all.addAll(files);
    Map<String, Path> places = relative(all, commonFolder(all));
    Map<String, Path> ecore = firstOf(places, metamodels.size());
    Map<String, Path> models = new LinkedHashMap<>(places);
    models.keySet().removeAll(ecore.keySet());
    EPackage.Registry registry = MetamodelFiles.read(ecore, Map.of());
    List<ModelSource.File> read = ModelReader.readFiles(models, Map.of(), registry);
    for (ModelSource.File file : read) {
      Conformance.check(models.get(file.path()), file.contents());
    }
    try (ModelFolder folder = new ModelFolder(output)) {
      for (Map.Entry<String, Path> each : ecore.entrySet()) {
        Files.copy(each.getValue(), folder.place(each.getKey()));
        folder.addedMetamodel(each.getKey());
      }
      for (ModelSource.File file : read) {
        Path source = models.get(file.path());
        Files.copy(source, folder.place(file.path()));
        if (!folder.added(file.path()).equals(file.sha256())) {
          throw new ModelException("Model " + source + " changed while it was read; try again.");
        }
      }
      return folder.finish();
    } catch (IOException e) {
      throw new ModelException("Model " + output + " cannot be written: " + e + ".", e);
    }
  }

  private static Map<String, Path> firstOf(Map<String, Path> places, int count) {
    Map<String, Path> first = new LinkedHashMap<>();
    places.entrySet().stream()
        .limit(count)
        .forEach(place -> first.put(place.getKey(), place.getValue()));
    return first;
  }

  private static Path commonFolder(List<Path> files) {
    Path common = files.get(0).toAbsolutePath().normalize().getParent();
    for (Path file : files) {
      while (!file.toAbsolutePath().normalize().startsWith(common)) {
        common = common.getParent();
      }
    }
    return common;
  }

  private static Map<String, Path> relative(List<Path> files, Path folder) throws ModelException {
    Map<String, Path> relative = new LinkedHashMap<>();
    for (Path file : files) {
      Path path = folder.relativize(file.toAbsolutePath().normalize());
      String name = path.toString().replace(path.getFileSystem().getSeparator(), "/");
      if (name.equals(ModelDescription.NAME)) {
        throw new ModelException(
            "File " + file + " has a name that a model's folder needs; give it another one.");
      }
      if (relative.put(name, file) != null) {
        throw new ModelException("File " + file + " is named twice; name it once.");
      }
    }
    return relative;
  }
}
