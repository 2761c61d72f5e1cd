import fr.inria.atlanmod.neoemf.core.PersistenceFactory;
import fr.inria.atlanmod.neoemf.data.PersistenceBackendFactoryRegistry;
import fr.inria.atlanmod.neoemf.data.blueprints.BlueprintsPersistenceBackendFactory;
import fr.inria.atlanmod.neoemf.data.blueprints.neo4j.option.BlueprintsNeo4jOptionsBuilder;
import fr.inria.atlanmod.neoemf.data.blueprints.util.BlueprintsURI;
import fr.inria.atlanmod.neoemf.resource.PersistentResource;
import fr.inria.atlanmod.neoemf.resource.PersistentResourceFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcoreFactory;
import org.eclipse.emf.ecore.EcorePackage;

/** Sets an attribute of this name, "id" unless another is given, in a NeoEMF/Graph database. */
class ReservedName {
  public static void main(String[] args) throws Exception {
    EAttribute attribute = EcoreFactory.eINSTANCE.createEAttribute();
    attribute.setName(args.length > 0 ? args[0] : "id");
    attribute.setEType(EcorePackage.Literals.EINT);
    EClass thing = EcoreFactory.eINSTANCE.createEClass();
    thing.setName("Thing");
    thing.getEStructuralFeatures().add(attribute);
    EPackage things = EcoreFactory.eINSTANCE.createEPackage();
    things.setName("things");
    things.setNsURI("urn:things");
    things.setNsPrefix("things");
    things.getEClassifiers().add(thing);
    EPackage.Registry.INSTANCE.put(things.getNsURI(), things);
    PersistenceBackendFactoryRegistry.register(
        BlueprintsURI.SCHEME, BlueprintsPersistenceBackendFactory.getInstance());
    Path folder = Files.createTempDirectory("reserved-name").resolve("database");
    try (PersistentResource resource =
        (PersistentResource)
            PersistentResourceFactory.getInstance()
                .createResource(BlueprintsURI.createFileURI(folder.toFile()))) {
      resource.save(BlueprintsNeo4jOptionsBuilder.newBuilder().asMap());
      EObject element = PersistenceFactory.getInstance().create(thing);
      resource.getContents().add(element);
      element.eSet(attribute, 42);
      System.out.println("read back: " + element.eGet(attribute));
      System.exit(element.eGet(attribute).equals(42) ? 0 : 1);
    } catch (RuntimeException e) {
      System.out.println(e);
      System.exit(1);
    }
  }
}
