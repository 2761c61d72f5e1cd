package org.modelstress.hawk.catalog;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.resource.ResourceSet;
import org.eclipse.emf.ecore.resource.impl.ResourceSetImpl;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.emf.ecore.xmi.XMLResource;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;

/** Metamodels as the text that their nodes keep. */
public final class Metamodel {
  private Metamodel() {}

  /** A package as XMI; the original stays where it is. */
  public static String text(EPackage ePackage) {
    XMIResourceImpl resource = new XMIResourceImpl(URI.createURI(ePackage.getNsURI()));
    resource.getContents().add(EcoreUtil.copy(ePackage));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      resource.save(out, Map.of(XMLResource.OPTION_ENCODING, "UTF-8"));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  /**
   * The package in a text; external entities and other documents are not read.
   *
   * @throws IllegalArgumentException if it is not one package
   */
  public static EPackage parse(String xmi) {
    ResourceSet set = new ResourceSetImpl();
    set.getPackageRegistry().put(EcorePackage.eNS_URI, EcorePackage.eINSTANCE);
    XMIResourceImpl resource = new XMIResourceImpl(URI.createURI("metamodel"));
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
    resource.setURI(URI.createURI(ePackage.getNsURI()));
    return ePackage;
  }
}
