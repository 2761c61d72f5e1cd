package org.modelstress.models;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.resource.Resource;
import org.eclipse.emf.ecore.resource.ResourceSet;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;

/**
 * Reads models of several files. Files refer to one another by paths relative to themselves; as
 * addresses they are below {@link #BASE}, so that it does not matter where the folder is.
 */
final class ModelReader {
  /** Address of a model's folder inside the process. */
  static final URI BASE = URI.createURI("modelstress:/model/");

  private ModelReader() {}

  /** Reads what a {@code model.json} describes. */
  static ModelSource read(Path description) throws ModelException {
    Path folder = description.toAbsolutePath().getParent();
    String before = ModelSource.sha256(description);
    ModelDescription described = ModelDescription.read(description);
    Map<String, Path> metamodels = checked(described.metamodels(), folder);
    Map<String, Path> files = checked(described.files(), folder);
    EPackage.Registry registry = MetamodelFiles.read(metamodels);
    Map<String, List<EObject>> contents = readFiles(files, registry);
    checked(described.files(), folder); // they are what they were before they were read
    List<ModelSource.File> sources = new ArrayList<>();
    for (ModelDescription.Entry entry : described.files()) {
      sources.add(new ModelSource.File(entry.path(), entry.sha256(), contents.get(entry.path())));
    }
    List<EObject> roots =
        contents.values().stream()
            .flatMap(List::stream)
            .filter(each -> each.eContainer() == null)
            .toList();
    return new ModelSource(roots, registry, sources, before);
  }

  /**
   * The files of a description by their paths.
   *
   * @throws ModelException if one is missing or not what the description says
   */
  static Map<String, Path> checked(List<ModelDescription.Entry> entries, Path folder)
      throws ModelException {
    Map<String, Path> files = new LinkedHashMap<>();
    for (ModelDescription.Entry entry : entries) {
      Path file = folder.resolve(entry.path());
      if (!ModelSource.sha256(file).equals(entry.sha256())) {
        throw new ModelException(
            "Model file " + file + " is not the one that model.json describes; make it again.");
      }
      files.put(entry.path(), file);
    }
    return files;
  }

  /**
   * Reads the files of a model into one resource and checks that nothing is missing.
   *
   * @param files path inside the model to file
   * @return path to its topmost elements
   * @throws ModelException naming the file, if one is not understood or incomplete
   */
  static Map<String, List<EObject>> readFiles(Map<String, Path> files, EPackage.Registry metamodels)
      throws ModelException {
    Map<URI, String> paths = new LinkedHashMap<>();
    files.keySet().forEach(path -> paths.put(address(path), path));
    ClosedResources resources = new ClosedResources(metamodels, paths.keySet());
    for (Map.Entry<String, Path> file : files.entrySet()) {
      resources.read(file.getValue(), address(file.getKey()));
    }
    Map<String, List<EObject>> contents = new LinkedHashMap<>();
    for (Resource resource : resources.set().getResources()) {
      contents.put(paths.get(resource.getURI()), List.copyOf(resource.getContents()));
    }
    new ModelCheck(contents, files).check();
    unite(resources.set(), contents);
    return contents;
  }

  /** The address of a file of a model. */
  static URI address(String path) {
    URI address = BASE;
    for (Path segment : Path.of(path)) {
      address = address.appendSegment(URI.encodeSegment(segment.toString(), false));
    }
    // BASE ends in an empty segment
    return URI.createURI(address.toString().replace("/model//", "/model/"));
  }

  /** Moves everything into one resource, as queries and stores want it. */
  private static void unite(ResourceSet set, Map<String, List<EObject>> contents) {
    if (set.getResources().size() == 1) {
      return;
    }
    for (Resource resource : set.getResources()) {
      resource.getContents().clear(); // what has a container in another file stays in that
    }
    set.getResources().clear();
    Resource whole = new XMIResourceImpl(BASE);
    set.getResources().add(whole);
    for (List<EObject> topmost : contents.values()) {
      for (EObject each : topmost) {
        if (each.eContainer() == null) {
          whole.getContents().add(each);
        }
      }
    }
  }
}
