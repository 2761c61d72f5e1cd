package org.modelstress.models;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

  /**
   * Reads what a {@code model.json} describes.
   *
   * @throws ModelException as {@link ModelSource#read}
   */
  static ModelSource read(Path description) throws ModelException {
    ModelDescription described = ModelDescription.read(description);
    String sha256 = ModelSource.sha256(description);
    Path folder = description.toAbsolutePath().getParent();
    EPackage.Registry metamodels =
        MetamodelFiles.read(places(described.metamodels(), folder), hashes(described.metamodels()));
    List<ModelSource.File> files =
        readFiles(places(described.files(), folder), hashes(described.files()), metamodels);
    unite(files);
    List<EObject> roots =
        files.stream()
            .flatMap(file -> file.contents().stream())
            .filter(each -> each.eContainer() == null)
            .toList();
    return new ModelSource(roots, metamodels, files, sha256);
  }

  /** The files of a description by their paths. */
  static Map<String, Path> places(List<ModelDescription.Entry> entries, Path folder) {
    Map<String, Path> places = new LinkedHashMap<>();
    entries.forEach(entry -> places.put(entry.path(), folder.resolve(entry.path())));
    return places;
  }

  /** The hashes of a description's files by their paths. */
  static Map<String, String> hashes(List<ModelDescription.Entry> entries) {
    Map<String, String> hashes = new HashMap<>();
    entries.forEach(entry -> hashes.put(entry.path(), entry.sha256()));
    return hashes;
  }

  /**
   * Reads the files of a model into a resource each and checks that nothing is missing.
   *
   * @param places path inside the model to file
   * @param sha256 path inside the model to the hash that the file has to have; empty if any
   * @throws ModelException naming the file, if one is not understood, incomplete or another one
   */
  static List<ModelSource.File> readFiles(
      Map<String, Path> places, Map<String, String> sha256, EPackage.Registry metamodels)
      throws ModelException {
    Set<URI> addresses = new HashSet<>();
    places.keySet().forEach(path -> addresses.add(address(path)));
    ClosedResources resources = new ClosedResources("Model", metamodels, addresses);
    List<ModelSource.File> files = new ArrayList<>();
    Map<String, List<EObject>> contents = new LinkedHashMap<>();
    for (Map.Entry<String, Path> place : places.entrySet()) {
      String path = place.getKey();
      ClosedResources.Document document =
          resources.read(place.getValue(), address(path), sha256.get(path));
      List<EObject> topmost = List.copyOf(document.resource().getContents());
      files.add(new ModelSource.File(path, document.sha256(), topmost));
      contents.put(path, topmost);
    }
    resources.finish();
    new ModelCheck(contents, places).check();
    return files;
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
  private static void unite(List<ModelSource.File> files) {
    if (files.size() == 1) {
      return;
    }
    ResourceSet set = files.get(0).contents().get(0).eResource().getResourceSet();
    for (Resource resource : set.getResources()) {
      resource.getContents().clear(); // what has a container in another file stays in that
    }
    set.getResources().clear();
    Resource whole = new XMIResourceImpl(BASE);
    set.getResources().add(whole);
    for (ModelSource.File file : files) {
      for (EObject topmost : file.contents()) {
        if (topmost.eContainer() == null) {
          whole.getContents().add(topmost);
        }
      }
    }
  }
}
