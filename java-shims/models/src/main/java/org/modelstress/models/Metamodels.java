package org.modelstress.models;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.impl.EPackageRegistryImpl;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.emf.ecore.xmi.XMLResource;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;

/** The metamodels this project knows, as dynamic EMF packages that live as long as the process. */
public final class Metamodels {
  private static final EPackage TRAIN = read("train.ecore");

  private Metamodels() {}

  /** The Train Benchmark's railway metamodel: package {@code railway}. */
  public static EPackage train() {
    return TRAIN;
  }

  /**
   * A new registry that holds exactly the known metamodels and Ecore, by nsURI. Nothing else is
   * found through it, so a model cannot make EMF load a package from elsewhere.
   */
  public static EPackage.Registry registry() {
    EPackage.Registry registry = new EPackageRegistryImpl();
    registry.put(EcorePackage.eNS_URI, EcorePackage.eINSTANCE);
    registry.put(TRAIN.getNsURI(), TRAIN);
    return registry;
  }

  /**
   * Writes metamodels as one Ecore file.
   *
   * @param metamodels by nsURI
   */
  public static void write(EPackage.Registry metamodels, Path file) throws IOException {
    List<EPackage> roots = new ArrayList<>();
    for (String nsUri : new TreeSet<>(metamodels.keySet())) {
      EPackage ePackage = metamodels.getEPackage(nsUri);
      if (ePackage.getESuperPackage() == null && ePackage != EcorePackage.eINSTANCE) {
        roots.add(ePackage);
      }
    }
    XMIResourceImpl resource = new XMIResourceImpl(URI.createURI("metamodels.ecore"));
    resource.getContents().addAll(EcoreUtil.copyAll(roots));
    try (OutputStream out = Files.newOutputStream(file)) {
      resource.save(out, Map.of(XMLResource.OPTION_ENCODING, "UTF-8"));
    }
  }

  /**
   * Reads an Ecore file that {@link #write} wrote.
   *
   * @return the metamodels in it and Ecore, by nsURI
   * @throws ModelException if it is missing or damaged
   */
  public static EPackage.Registry read(Path file) throws ModelException {
    Map<String, Path> files = Map.of(file.getFileName().toString(), file);
    EPackage.Registry registry = MetamodelFiles.read(files, Map.of());
    registry.put(EcorePackage.eNS_URI, EcorePackage.eINSTANCE);
    return registry;
  }

  /** A new registry of the known metamodels that models can be of: without Ecore. */
  static EPackage.Registry models() {
    EPackage.Registry registry = registry();
    registry.remove(EcorePackage.eNS_URI);
    return registry;
  }

  private static EPackage read(String name) {
    XMIResourceImpl resource = new XMIResourceImpl(URI.createURI(name));
    try (InputStream in = Metamodels.class.getResourceAsStream(name)) {
      resource.load(in, null);
    } catch (IOException e) {
      throw new UncheckedIOException("The metamodel " + name + " inside the jar is damaged", e);
    }
    EPackage ePackage = (EPackage) resource.getContents().get(0);
    // the nsURI as resource address, as for generated packages: fragments print as nsURI#//Route
    resource.setURI(URI.createURI(ePackage.getNsURI()));
    return ePackage;
  }
}
