package org.modelstress.models;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.InternalEObject;
import org.eclipse.emf.ecore.resource.Resource;
import org.eclipse.emf.ecore.util.InternalEList;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;

/**
 * Some files of a model, read without the others.
 *
 * @param description of the whole model
 * @param metamodels by nsURI, without Ecore
 * @param files those that were read, in their order
 * @param roots their topmost elements that no other of these files contains, all in one resource
 * @param elsewhere elements that were not read, only contained: each stands for the single topmost
 *     element of the file whose path this is
 */
public record ModelPart(
    ModelDescription description,
    EPackage.Registry metamodels,
    List<ModelSource.File> files,
    List<EObject> roots,
    Map<EObject, String> elsewhere) {

  /**
   * Reads some files.
   *
   * @param path of a {@code model.json}
   * @param wanted says which files
   * @return empty if they refer to others by more than containing their topmost element
   * @throws ModelException as {@link ModelSource#read}, for these files
   */
  public static Optional<ModelPart> read(Path path, Predicate<ModelDescription.Entry> wanted)
      throws ModelException {
    Path folder = path.toAbsolutePath().getParent();
    ModelDescription description = ModelDescription.read(path);
    List<ModelDescription.Entry> entries = description.files().stream().filter(wanted).toList();
    EPackage.Registry metamodels =
        MetamodelFiles.read(ModelReader.checked(description.metamodels(), folder));
    Map<String, Path> files = ModelReader.checked(entries, folder);
    Map<URI, String> paths = new LinkedHashMap<>();
    description
        .files()
        .forEach(entry -> paths.put(ModelReader.address(entry.path()), entry.path()));
    ClosedResources resources = new ClosedResources(metamodels, paths.keySet());
    for (Map.Entry<String, Path> file : files.entrySet()) {
      resources.read(file.getValue(), ModelReader.address(file.getKey()));
    }
    ModelReader.checked(entries, folder); // they are what they were before they were read
    Map<URI, String> notRead = new LinkedHashMap<>(paths);
    notRead.values().removeAll(files.keySet());
    Map<EObject, String> elsewhere = new IdentityHashMap<>();
    Map<String, List<EObject>> contents = new LinkedHashMap<>();
    for (Resource resource : resources.set().getResources()) {
      if (!cutOff(resource, notRead, elsewhere)) {
        return Optional.empty();
      }
      contents.put(paths.get(resource.getURI()), List.copyOf(resource.getContents()));
    }
    new ModelCheck(contents, files).check();
    List<ModelSource.File> sources =
        entries.stream()
            .map(e -> new ModelSource.File(e.path(), e.sha256(), contents.get(e.path())))
            .toList();
    List<EObject> roots = unite(resources.set().getResources(), sources);
    return Optional.of(new ModelPart(description, metamodels, sources, roots, elsewhere));
  }

  /**
   * Makes plain elements of the proxies that stand for the contents of files that were not read.
   *
   * @return false if the resource needs more of such a file
   */
  private static boolean cutOff(
      Resource resource, Map<URI, String> notRead, Map<EObject, String> elsewhere) {
    Deque<EObject> open = new ArrayDeque<>(resource.getContents());
    for (EObject topmost : resource.getContents()) {
      InternalEObject container = ((InternalEObject) topmost).eInternalContainer();
      if (container != null && container.eIsProxy()) {
        return false;
      }
    }
    while (!open.isEmpty()) {
      EObject element = open.removeLast();
      for (EReference reference : element.eClass().getEAllReferences()) {
        if (reference.isContainer() || reference.isDerived() || !element.eIsSet(reference)) {
          continue;
        }
        for (EObject target : unresolved(element, reference)) {
          InternalEObject each = (InternalEObject) target;
          String path = each.eIsProxy() ? notRead.get(each.eProxyURI().trimFragment()) : null;
          if (path != null) {
            // what the topmost element of a file is called if it is the only one
            boolean topmost = "/".equals(each.eProxyURI().fragment());
            if (!reference.isContainment() || !topmost) {
              return false;
            }
            each.eSetProxyURI(null);
            elsewhere.put(each, path);
          } else if (reference.isContainment()
              && !each.eIsProxy()
              && each.eDirectResource() == null) {
            open.add(each);
          }
        }
      }
    }
    return true;
  }

  @SuppressWarnings("unchecked")
  private static Collection<EObject> unresolved(EObject element, EReference reference) {
    Object value = element.eGet(reference, false);
    if (value instanceof InternalEList<?> list) {
      return ((InternalEList<EObject>) list).basicList();
    }
    return value == null ? List.of() : List.of((EObject) value);
  }

  /** Moves everything into one resource, as in a whole model. */
  private static List<EObject> unite(List<Resource> resources, List<ModelSource.File> files) {
    resources.forEach(resource -> resource.getContents().clear());
    resources.clear();
    Resource whole = new XMIResourceImpl(ModelReader.BASE);
    List<EObject> roots = new ArrayList<>();
    for (ModelSource.File file : files) {
      for (EObject each : file.contents()) {
        if (each.eContainer() == null) {
          roots.add(each);
        }
      }
    }
    whole.getContents().addAll(roots);
    return List.copyOf(roots);
  }
}
