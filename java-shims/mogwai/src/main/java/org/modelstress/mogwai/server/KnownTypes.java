package org.modelstress.mogwai.server;

import java.util.List;
import java.util.stream.Stream;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcorePackage;
import org.modelstress.hawk.api.HawkMetamodelNotFound;
import org.modelstress.hawk.api.HawkTypeNotFound;

/**
 * The metamodels and classes that a model may use, in the words of Hawk's API; Ecore itself is not
 * listed.
 */
final class KnownTypes {
  private final EPackage.Registry packages;
  private final List<String> uris;

  KnownTypes(EPackage.Registry packages) {
    this.packages = packages;
    uris =
        packages.keySet().stream().filter(u -> !u.equals(EcorePackage.eNS_URI)).sorted().toList();
  }

  List<String> uris() {
    return uris;
  }

  List<String> typeNames(String uri) throws HawkMetamodelNotFound {
    return classes(uri).map(EClass::getName).toList();
  }

  /** Attributes of a class that are stored, its superclasses' included. */
  List<String> attributeNames(String uri, String type)
      throws HawkMetamodelNotFound, HawkTypeNotFound {
    EClass named =
        classes(uri)
            .filter(eClass -> eClass.getName().equals(type))
            .findFirst()
            .orElseThrow(() -> new HawkTypeNotFound().setTypeName(type));
    return named.getEAllAttributes().stream()
        .filter(attribute -> !attribute.isDerived() && !attribute.isVolatile())
        .map(EAttribute::getName)
        .toList();
  }

  private Stream<EClass> classes(String uri) throws HawkMetamodelNotFound {
    if (!uris.contains(uri)) {
      throw new HawkMetamodelNotFound().setMetamodelURI(uri);
    }
    return packages.getEPackage(uri).getEClassifiers().stream()
        .filter(EClass.class::isInstance)
        .map(EClass.class::cast);
  }
}
