package org.modelstress.models;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.eclipse.emf.common.util.Diagnostic;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.util.Diagnostician;

/** Brings somebody's metamodels and model files into a model's folder, after checking them. */
public final class ModelImport {
  private static final int SHOWN_PROBLEMS = 3;

  private ModelImport() {}

  /**
   * Checks and copies a model. Files keep their places relative to one another.
   *
   * @param metamodels Ecore files
   * @param files XMI or binary files, in the order that the elements are to have
   * @param output the model's folder
   * @return its {@code model.json}
   * @throws ModelException if something is missing or does not conform to the metamodels; nothing
   *     is left then
   */
  public static Path run(List<Path> metamodels, List<Path> files, Path output)
      throws ModelException, IOException {
    List<Path> all = new ArrayList<>(metamodels);
    all.addAll(files);
    Path above = commonFolder(all);
    Map<String, Path> ecore = relative(metamodels, above);
    Map<String, Path> models = relative(files, above);
    EPackage.Registry registry = MetamodelFiles.read(ecore);
    Map<String, List<EObject>> contents = ModelReader.readFiles(models, registry);
    for (Map.Entry<String, List<EObject>> file : contents.entrySet()) {
      for (EObject topmost : file.getValue()) {
        if (topmost.eContainer() == null) {
          checkConforms(models.get(file.getKey()), topmost);
        }
      }
    }
    try (ModelFolder folder = new ModelFolder(output)) {
      for (Map.Entry<String, Path> each : ecore.entrySet()) {
        Files.copy(each.getValue(), folder.place(each.getKey()));
        folder.addedMetamodel(each.getKey());
      }
      for (Map.Entry<String, Path> each : models.entrySet()) {
        Files.copy(each.getValue(), folder.place(each.getKey()));
        folder.added(each.getKey());
      }
      return folder.finish();
    }
  }

  private static void checkConforms(Path file, EObject root) throws ModelException {
    Diagnostic found = Diagnostician.INSTANCE.validate(root);
    List<Diagnostic> problems =
        found.getChildren().stream().filter(d -> d.getSeverity() >= Diagnostic.ERROR).toList();
    if (!problems.isEmpty()) {
      String first =
          problems.stream()
              .limit(SHOWN_PROBLEMS)
              .map(Diagnostic::getMessage)
              .collect(Collectors.joining(" "));
      throw new ModelException(
          "Model "
              + file
              + " does not conform to its metamodel, in "
              + problems.size()
              + " places: "
              + first);
    }
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
            "Model file " + file + " has a name that is taken; give it another one.");
      }
      if (relative.put(name, file) != null) {
        throw new ModelException("Model file " + file + " is named twice.");
      }
    }
    return relative;
  }
}
