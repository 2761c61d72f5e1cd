package org.modelstress.mogwai.store;

import fr.inria.atlanmod.neoemf.core.PersistenceFactory;
import fr.inria.atlanmod.neoemf.core.PersistentEObject;
import fr.inria.atlanmod.neoemf.data.PersistenceBackendFactoryRegistry;
import fr.inria.atlanmod.neoemf.data.blueprints.BlueprintsPersistenceBackendFactory;
import fr.inria.atlanmod.neoemf.data.blueprints.util.BlueprintsURI;
import fr.inria.atlanmod.neoemf.resource.PersistentResource;
import fr.inria.atlanmod.neoemf.resource.PersistentResourceFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.InternalEObject;
import org.eclipse.emf.ecore.impl.EPackageImpl;
import org.eclipse.emf.ecore.util.InternalEList;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelException;

/**
 * Models written and read through NeoEMF's own API, as an ordinary program does it: the reference
 * for {@link BulkLoader}.
 *
 * <p>NeoEMF looks metamodels up in EMF's registry of the whole process. They are entered there as
 * they are and stay; nothing of them is changed, because NeoEMF makes the elements of dynamic
 * packages itself.
 */
public final class NeoEmfModels {
  /** Blueprints keeps this property's name for itself. */
  private static final String REFUSED = "id";

  static {
    PersistenceBackendFactoryRegistry.register(
        BlueprintsURI.SCHEME, BlueprintsPersistenceBackendFactory.getInstance());
  }

  private NeoEmfModels() {}

  /**
   * Writes a copy of a model in one transaction; all of it is in memory meanwhile.
   *
   * @param folder of the new database; missing, so that Blueprints knows it is new
   * @throws ModelException if the model has something that NeoEMF cannot store
   * @throws StoreException if the database cannot be written
   */
  public static void persist(List<? extends EObject> roots, Path folder) throws ModelException {
    ElementIndex elements = new ElementIndex(roots);
    Map<EClass, StoredClass> classes = StoredClass.allOf(elements);
    for (EClass eClass : classes.keySet()) {
      register(eClass.getEPackage());
    }
    for (int i = 0; i < elements.size(); i++) {
      check(elements.element(i), classes);
    }
    DatabaseFolder database = new DatabaseFolder(folder);
    database.checkEmpty();
    PersistentResource resource = resource(database);
    try {
      Map<String, Object> options = database.options(StoreOptions.DEFAULT);
      resource.save(options);
      new Copy(elements, classes).into(resource, roots);
      resource.save(options);
    } catch (IOException e) {
      throw NeoEmfGraph.failure(database, e);
    } finally {
      resource.close();
    }
  }

  /**
   * Opens a database; the caller closes the resource. Elements are read when they are asked for, by
   * one thread at a time.
   *
   * @param packages the metamodels of the model, by nsURI
   * @throws StoreException if the database is missing, damaged, of another version or in use, or if
   *     a package of the same nsURI but another one is known in this process
   */
  public static PersistentResource open(
      Path folder, EPackage.Registry packages, StoreOptions options) {
    for (String nsUri : packages.keySet()) {
      register(packages.getEPackage(nsUri));
    }
    DatabaseFolder database = new DatabaseFolder(folder);
    database.check(false);
    PersistentResource resource = resource(database);
    try {
      resource.load(database.options(options));
    } catch (IOException | RuntimeException e) {
      throw NeoEmfGraph.failure(database, e);
    }
    return resource;
  }

  private static PersistentResource resource(DatabaseFolder database) {
    return (PersistentResource)
        PersistentResourceFactory.getInstance()
            .createResource(BlueprintsURI.createFileURI(database.path().toFile()));
  }

  private static synchronized void register(EPackage ePackage) {
    EPackage known = EPackage.Registry.INSTANCE.getEPackage(ePackage.getNsURI());
    if (known == null) {
      EPackage.Registry.INSTANCE.put(ePackage.getNsURI(), ePackage);
    } else if (known != ePackage) {
      throw new StoreException(
          "Metamodel "
              + ePackage.getNsURI()
              + " is known in this process already, as another object; NeoEMF can use one only.",
          null);
    }
  }

  private static void check(EObject element, Map<EClass, StoredClass> classes)
      throws ModelException {
    if (element.eClass().getEPackage().getClass() != EPackageImpl.class) {
      throw new ModelException(
          "Metamodel "
              + element.eClass().getEPackage().getNsURI()
              + " has generated classes, which are not NeoEMF's; give a dynamic one.");
    }
    for (EAttribute attribute : classes.get(element.eClass()).attributes()) {
      if (attribute.getName().equals(REFUSED) && element.eIsSet(attribute)) {
        throw new ModelException(
            "Attribute "
                + StoredClass.name(attribute)
                + " cannot be stored through NeoEMF: Blueprints keeps the name for itself; unset it"
                + " or load the model in bulk.");
      }
    }
  }

  /** Elements of NeoEMF's own, one for each of the model's. */
  private static final class Copy {
    private final ElementIndex elements;
    private final Map<EClass, StoredClass> classes;
    private final PersistentEObject[] copies;

    Copy(ElementIndex elements, Map<EClass, StoredClass> classes) {
      this.elements = elements;
      this.classes = classes;
      this.copies = new PersistentEObject[elements.size()];
      for (int i = 0; i < copies.length; i++) {
        copies[i] = PersistenceFactory.getInstance().create(elements.element(i).eClass());
      }
    }

    /**
     * First the tree: NeoEMF fails on lists of attributes of elements that have no vertex yet. The
     * references last, into the store, because opposites are in the model already.
     */
    void into(PersistentResource resource, List<? extends EObject> roots) {
      for (int i = 0; i < copies.length; i++) {
        addContents(i);
      }
      for (EObject root : roots) {
        resource.getContents().add(copyOf(root));
      }
      for (int i = 0; i < copies.length; i++) {
        setAttributes(i);
        setReferences(i);
      }
    }

    private PersistentEObject copyOf(Object element) {
      return copies[Math.toIntExact(elements.indexOf((EObject) element))];
    }

    private void addContents(int index) {
      EObject element = elements.element(index);
      for (EReference reference : classes.get(element.eClass()).references()) {
        if (!reference.isContainment() || !element.eIsSet(reference)) {
          continue;
        }
        if (reference.isMany()) {
          for (Object child : (List<?>) element.eGet(reference)) {
            list(index, reference).addUnique(copyOf(child));
          }
        } else if (element.eGet(reference) != null) {
          copies[index].eSet(reference, copyOf(element.eGet(reference)));
        }
      }
    }

    @SuppressWarnings("unchecked")
    private InternalEList<Object> list(int index, EStructuralFeature feature) {
      return (InternalEList<Object>) copies[index].eGet(feature);
    }

    private void setAttributes(int index) {
      EObject element = elements.element(index);
      for (EAttribute attribute : classes.get(element.eClass()).attributes()) {
        if (!element.eIsSet(attribute)) {
          continue;
        }
        if (attribute.isMany()) {
          copies[index].eStore().clear(copies[index], attribute); // it is set even if empty
          for (Object value : (List<?>) element.eGet(attribute)) {
            list(index, attribute).addUnique(value);
          }
        } else if (element.eGet(attribute) != null) {
          copies[index].eSet(attribute, element.eGet(attribute));
        }
      }
    }

    private void setReferences(int index) {
      EObject element = elements.element(index);
      InternalEObject copy = copies[index];
      for (EReference reference : classes.get(element.eClass()).references()) {
        if (reference.isContainment() || !element.eIsSet(reference)) {
          continue;
        }
        Object value = element.eGet(reference);
        if (reference.isMany()) {
          copy.eStore().clear(copy, reference);
          List<?> targets = (List<?>) value;
          for (int i = 0; i < targets.size(); i++) {
            copy.eStore().add(copy, reference, i, copyOf(targets.get(i)));
          }
        } else if (value != null) {
          copy.eStore().set(copy, reference, InternalEObject.EStore.NO_INDEX, copyOf(value));
        }
      }
    }
  }
}
