import fr.inria.atlanmod.neoemf.core.PersistenceFactory;
import fr.inria.atlanmod.neoemf.data.PersistenceBackendFactoryRegistry;
import fr.inria.atlanmod.neoemf.data.blueprints.BlueprintsPersistenceBackendFactory;
import fr.inria.atlanmod.neoemf.data.blueprints.neo4j.option.BlueprintsNeo4jOptionsBuilder;
import fr.inria.atlanmod.neoemf.data.blueprints.util.BlueprintsURI;
import fr.inria.atlanmod.neoemf.resource.PersistentResource;
import fr.inria.atlanmod.neoemf.resource.PersistentResourceFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcoreFactory;
import org.eclipse.emf.ecore.EcorePackage;

/** Copies a closed NeoEMF/Graph database, changes the original and reads the copy. */
class CopiedStore {
  private static final EAttribute NAME = EcoreFactory.eINSTANCE.createEAttribute();
  private static final EClass THING = EcoreFactory.eINSTANCE.createEClass();

  public static void main(String[] args) throws Exception {
    metamodel();
    PersistenceBackendFactoryRegistry.register(
        BlueprintsURI.SCHEME, BlueprintsPersistenceBackendFactory.getInstance());
    Path folder = Files.createTempDirectory("copied-store");
    Path original = folder.resolve("original");
    Path copy = folder.resolve("copy");
    try (PersistentResource resource = resource(original)) {
      EObject thing = PersistenceFactory.getInstance().create(THING);
      resource.save(options());
      resource.getContents().add(thing);
      thing.eSet(NAME, "before the copy");
      resource.save(options());
    }
    try (var files = Files.walk(original)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(original.relativize(file)));
      }
    }
    if (args.length > 0) { // the intervention: without the path that NeoEMF keeps
      Path settings = copy.resolve("config.properties");
      List<String> kept =
          Files.readAllLines(settings).stream()
              .filter(line -> !line.contains(original.toString()))
              .toList();
      Files.write(settings, kept);
    }
    try (PersistentResource resource = resource(original)) {
      resource.load(options());
      resource.getContents().get(0).eSet(NAME, "after the copy");
      resource.save(options());
    }
    try (PersistentResource resource = resource(copy)) {
      resource.load(options());
      Object name = resource.getContents().get(0).eGet(NAME);
      System.out.println("the copy has: " + name);
      System.exit(name.equals("before the copy") ? 0 : 1);
    }
  }

  private static void metamodel() {
    NAME.setName("name");
    NAME.setEType(EcorePackage.Literals.ESTRING);
    THING.setName("Thing");
    THING.getEStructuralFeatures().add(NAME);
    EPackage things = EcoreFactory.eINSTANCE.createEPackage();
    things.setName("things");
    things.setNsURI("urn:things");
    things.setNsPrefix("things");
    things.getEClassifiers().add(THING);
    EPackage.Registry.INSTANCE.put(things.getNsURI(), things);
  }

  private static PersistentResource resource(Path folder) {
    return (PersistentResource)
        PersistentResourceFactory.getInstance()
            .createResource(BlueprintsURI.createFileURI(folder.toFile()));
  }

  private static Map<String, Object> options() {
    return new HashMap<>(BlueprintsNeo4jOptionsBuilder.newBuilder().noCache().asMap());
  }
}
