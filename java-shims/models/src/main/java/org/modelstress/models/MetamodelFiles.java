package org.modelstress.models;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.impl.EPackageRegistryImpl;
import org.eclipse.emf.ecore.resource.Resource;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;

/** Reads Ecore files, which may refer to one another by path or by nsURI. */
final class MetamodelFiles {
  /** How Eclipse's editors write Ecore's own address. */
  private static final URI ECORE_IN_WORKSPACE =
      URI.createURI("platform:/plugin/org.eclipse.emf.ecore/model/Ecore.ecore");

  private MetamodelFiles() {}

  /**
   * Reads metamodels.
   *
   * @param files path inside the model to file
   * @param sha256 path inside the model to the hash that the file has to have; empty if any
   * @return their packages, nested ones too, by nsURI
   * @throws ModelException if a file is no metamodel, one whose types are not all known, or another
   *     one
   */
  static EPackage.Registry read(Map<String, Path> files, Map<String, String> sha256)
      throws ModelException {
    Map<URI, Path> documents = new HashMap<>();
    files.forEach((path, file) -> documents.put(ModelReader.address(path), file));
    URI ecore = URI.createURI(EcorePackage.eNS_URI);
    Set<URI> known = new LinkedHashSet<>(documents.keySet());
    known.add(ecore);
    known.add(ECORE_IN_WORKSPACE);
    EPackage.Registry ecoreOnly = new EPackageRegistryImpl();
    ecoreOnly.put(EcorePackage.eNS_URI, EcorePackage.eINSTANCE);
    ClosedResources resources =
        new ClosedResources("Metamodel", ecoreOnly, known, PluginLinks.to(documents.keySet()));
    resources.set().getURIConverter().getURIMap().put(ECORE_IN_WORKSPACE, ecore);
    resources.set().getResources().add(EcorePackage.eINSTANCE.eResource());
    EPackage.Registry found = new EPackageRegistryImpl();
    for (Map.Entry<String, Path> file : files.entrySet()) {
      URI address = ModelReader.address(file.getKey());
      Resource resource =
          resources.read(file.getValue(), address, sha256.get(file.getKey())).resource();
      for (EObject root : resource.getContents()) {
        register(root, file.getValue(), found);
      }
      if (resource.getContents().isEmpty()) {
        throw wrong(file.getValue(), "has no package");
      }
    }
    check(resources, documents);
    giveAddresses(found);
    return found;
  }

  private static void register(EObject root, Path file, EPackage.Registry found)
      throws ModelException {
    if (!(root instanceof EPackage ePackage)) {
      throw wrong(file, "has a " + root.eClass().getName() + " where an EPackage is expected");
    }
    String nsUri = ePackage.getNsURI();
    if (MetamodelRules.isMissing(nsUri) || MetamodelRules.isMissing(ePackage.getName())) {
      throw wrong(file, "has a package without name or nsURI; give it both");
    }
    if (nsUri.equals(EcorePackage.eNS_URI)) {
      throw wrong(file, "is Ecore itself, which is built in; leave it out");
    }
    if (found.put(nsUri, ePackage) != null) {
      throw wrong(file, "has a package whose nsURI is taken, " + nsUri);
    }
    for (EPackage nested : ePackage.getESubpackages()) {
      register(nested, file, found);
    }
  }

  private static void check(ClosedResources resources, Map<URI, Path> documents)
      throws ModelException {
    for (Map.Entry<URI, Path> document : documents.entrySet()) {
      Resource resource = resources.set().getResource(document.getKey(), false);
      String inherited = MetamodelRules.inheritance(resource.getAllContents());
      if (inherited != null) {
        throw wrong(document.getValue(), inherited);
      }
      for (var all = resource.getAllContents(); all.hasNext(); ) {
        String problem = MetamodelRules.problem(all.next());
        if (problem != null) {
          throw wrong(document.getValue(), problem);
        }
      }
    }
  }

  /** The nsURI as resource address, as for generated packages: fragments print as nsURI#//Route. */
  private static void giveAddresses(EPackage.Registry packages) {
    packages.values().forEach(each -> EcoreUtil.resolveAll((EPackage) each));
    packages.values().forEach(each -> PlainFactory.of((EPackage) each));
    for (String nsUri : packages.keySet()) {
      EPackage ePackage = packages.getEPackage(nsUri);
      if (ePackage.getESuperPackage() == null) {
        new XMIResourceImpl(URI.createURI(nsUri)).getContents().add(ePackage);
      }
    }
  }

  private static ModelException wrong(Path file, String what) {
    return new ModelException("Metamodel " + file + " " + what + ".");
  }
}
