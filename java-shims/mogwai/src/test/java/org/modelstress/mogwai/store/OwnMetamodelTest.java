package org.modelstress.mogwai.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import fr.inria.atlanmod.neoemf.resource.PersistentResource;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.impl.EPackageRegistryImpl;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.samples.ElementIds;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelSource;

/** Models that bring their metamodels, read back with the metamodels that the store kept. */
@Timeout(240)
class OwnMetamodelTest {
  /** Three files of two metamodels that refer to each other; tests run in the module's folder. */
  private static final Path MODEL = Path.of("../example/src/test/model/model.json");

  @TempDir Path folder;

  @Test
  void everyElementIsStoredAsItIs() throws Exception {
    checkStored(ModelSource.read(MODEL));
  }

  @Test
  void longTextsAreStoredWhole() throws Exception {
    EPackage notes = Zoo.newPackage("notes", "http://modelstress.test/notes");
    EClass note = Zoo.newClass(notes, "Note", false);
    EAttribute text = Zoo.attribute(note, EcorePackage.Literals.ESTRING, "text", 1);
    EAttribute many = Zoo.attribute(note, EcorePackage.Literals.ESTRING, "many", -1);
    EObject element = EcoreUtil.create(note);
    String value = "日本語 and more 😀 ".repeat(10_000) + "!";
    element.eSet(text, value);
    element.eSet(many, List.of("short", value));
    EPackage.Registry packages = new EPackageRegistryImpl();
    packages.put(notes.getNsURI(), notes);
    checkStored(new ModelSource(List.of(element), packages, List.of(), "hash"));
  }

  private void checkStored(ModelSource model) throws Exception {
    ElementIndex source = new ElementIndex(model.roots());
    StoreFolder store = new StoreFolder(folder.resolve("store"));
    store.load(model, (done, total) -> {});
    StoreFolder.Copy copy = store.copyTo(folder.resolve("copy"), false);
    PersistentResource stored =
        NeoEmfModels.open(copy.graph(), copy.metamodels(), StoreOptions.DEFAULT);
    try {
      ElementIndex reopened = new ElementIndex(stored.getContents());
      Images.assertSame(Images.model(source), Images.model(reopened));
      ElementIds ids = IdsFile.read(folder.resolve("copy/ids.mssf"));
      Map<String, String> names = Images.names(reopened);
      assertEquals(source.size(), names.size());
      names.forEach((id, element) -> assertEquals(element, "#" + ids.indexOf(id)));
    } finally {
      stored.close();
    }
  }
}
