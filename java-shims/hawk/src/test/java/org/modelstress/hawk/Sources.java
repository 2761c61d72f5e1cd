package org.modelstress.hawk;

import java.nio.file.Path;
import java.util.List;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.impl.EPackageRegistryImpl;
import org.modelstress.models.ModelSource;

/** Models that were never in a file. */
public final class Sources {
  private Sources() {}

  /** A model with one root, all of whose classes are in the root's package. */
  public static ModelSource of(Path path, EObject root) {
    EPackage ePackage = root.eClass().getEPackage();
    EPackage.Registry metamodels = new EPackageRegistryImpl();
    metamodels.put(ePackage.getNsURI(), ePackage);
    String sha256 = "0".repeat(64);
    List<EObject> roots = List.of(root);
    return new ModelSource(
        roots, metamodels, List.of(new ModelSource.File(path.toString(), sha256, roots)), sha256);
  }
}
