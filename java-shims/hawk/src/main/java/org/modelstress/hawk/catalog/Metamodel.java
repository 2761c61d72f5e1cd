package org.modelstress.hawk.catalog;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.impl.EPackageRegistryImpl;
import org.eclipse.emf.ecore.resource.ResourceSet;
import org.eclipse.emf.ecore.resource.impl.ExtensibleURIConverterImpl;
import org.eclipse.emf.ecore.resource.impl.ResourceSetImpl;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.emf.ecore.xmi.XMLResource;
import org.eclipse.emf.ecore.xmi.impl.URIHandlerImpl;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;
import org.modelstress.models.GuardedXmi;
import org.modelstress.models.MetamodelRules;

/** Metamodels as the text that their nodes keep. */
public final class Metamodel {
  private Metamodel() {}

  /** A package as XMI; the original stays where it is. */
  public static String text(EPackage ePackage) {
    XMIResourceImpl resource = new XMIResourceImpl(URI.createURI(ePackage.getNsURI()));
    resource.getContents().add(EcoreUtil.copy(ePackage));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      resource.save(
          out,
          Map.of(
              XMLResource.OPTION_ENCODING,
              "UTF-8",
              XMLResource.OPTION_URI_HANDLER,
              new URIHandlerImpl() {
                @Override
                public URI deresolve(URI uri) {
                  return uri; // other packages by their whole nsURI
                }
              }));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  /** The classes of a package and of the packages inside it. */
  public static List<EClass> classes(EPackage ePackage) {
    List<EClass> classes = new ArrayList<>();
    for (EClassifier classifier : ePackage.getEClassifiers()) {
      if (classifier instanceof EClass eClass) {
        classes.add(eClass);
      }
    }
    ePackage.getESubpackages().forEach(inner -> classes.addAll(classes(inner)));
    return classes;
  }

  /** The outermost package around a class. */
  public static EPackage root(EClass eClass) {
    EPackage ePackage = eClass.getEPackage();
    while (ePackage.getESuperPackage() != null) {
      ePackage = ePackage.getESuperPackage();
    }
    return ePackage;
  }

  /**
   * The package in a text; external entities and other documents are not read.
   *
   * @param known packages that it may refer to
   * @throws IllegalArgumentException if it is not one package, or refers to an unknown one
   */
  public static EPackage parse(String xmi, Collection<EPackage> known) {
    return parse(List.of(xmi), known).get(0);
  }

  /**
   * As {@link #parse(String, Collection)}, for packages that may refer to each other in any way.
   */
  public static List<EPackage> parse(List<String> texts, Collection<EPackage> known) {
    ResourceSet set = closedResourceSet(known);
    List<EPackage> parsed = new ArrayList<>();
    for (String xmi : texts) {
      EPackage ePackage = read(xmi, set);
      ePackage.eResource().setURI(URI.createURI(ePackage.getNsURI()));
      set.getPackageRegistry().put(ePackage.getNsURI(), ePackage);
      parsed.add(ePackage);
    }
    for (EPackage ePackage : parsed) {
      MetamodelRules.checkInheritance(ePackage); // else EMF takes minutes for what follows
      EcoreUtil.resolveAll(ePackage.eResource());
      var unresolved = EcoreUtil.UnresolvedProxyCrossReferencer.find(ePackage.eResource());
      if (!unresolved.isEmpty()) {
        throw new IllegalArgumentException(
            "metamodel "
                + ePackage.getNsURI()
                + " refers to "
                + EcoreUtil.getURI(unresolved.keySet().iterator().next())
                + ", which is not registered");
      }
      MetamodelRules.check(ePackage);
    }
    return parsed;
  }

  private static EPackage read(String xmi, ResourceSet set) {
    XMIResourceImpl resource = new GuardedXmi(URI.createURI("metamodel"));
    set.getResources().add(resource);
    Map<String, Object> options =
        Map.of(
            XMLResource.OPTION_PARSER_FEATURES,
            Map.of("http://apache.org/xml/features/disallow-doctype-decl", true));
    try {
      resource.load(new ByteArrayInputStream(xmi.getBytes(StandardCharsets.UTF_8)), options);
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException("not a metamodel: " + e.getMessage(), e);
    }
    if (resource.getContents().size() != 1
        || !(resource.getContents().get(0) instanceof EPackage ePackage)
        || ePackage.getNsURI() == null) {
      throw new IllegalArgumentException("not a metamodel: it is not one package with an nsURI");
    }
    return ePackage;
  }

  /** Knows Ecore and these packages, and can open no address. */
  private static ResourceSet closedResourceSet(Collection<EPackage> known) {
    ResourceSet set = new ResourceSetImpl();
    set.setURIConverter(new ExtensibleURIConverterImpl(List.of(), List.of()));
    set.setPackageRegistry(new EPackageRegistryImpl());
    set.getPackageRegistry().put(EcorePackage.eNS_URI, EcorePackage.eINSTANCE);
    known.forEach(ePackage -> set.getPackageRegistry().put(ePackage.getNsURI(), ePackage));
    return set;
  }
}
