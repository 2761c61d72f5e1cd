package org.modelstress.benchmarks.hawk;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.resource.impl.BinaryResourceImpl;
import org.modelstress.models.ModelDescription;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelPart;

/** A copy of a model of Java sources with a file for every compilation unit, to be changed. */
final class TouchedModel {
  private final Path folder;
  private ModelDescription description;

  /** Copies a model into a new folder. */
  TouchedModel(Path model, Path folder) throws IOException, ModelException {
    this.folder = Files.createDirectory(folder);
    description = ModelPart.read(model, entry -> false).orElseThrow().description();
    List<ModelDescription.Entry> all = new ArrayList<>(description.metamodels());
    all.addAll(description.files());
    for (ModelDescription.Entry entry : all) {
      Files.createDirectories(folder.resolve(entry.path()).getParent());
      Files.copy(model.resolveSibling(entry.path()), folder.resolve(entry.path()));
    }
    description.write(folder);
  }

  /** The {@code model.json}. */
  Path path() {
    return folder.resolve(ModelDescription.NAME);
  }

  /**
   * Makes a static method of some unit an ordinary one, or the other way round.
   *
   * @return path of the unit
   */
  String touch(Random random) throws IOException, ModelException, GeneralSecurityException {
    while (true) {
      List<ModelDescription.Entry> files = description.files();
      String path = files.get(random.nextInt(files.size())).path();
      ModelPart unit = ModelPart.read(path(), e -> e.path().equals(path)).orElseThrow();
      EObject modifier = firstModifier(unit.roots().get(0));
      if (modifier != null) {
        EStructuralFeature feature = modifier.eClass().getEStructuralFeature("static");
        modifier.eSet(feature, !(Boolean) modifier.eGet(feature));
        save(path, unit.roots().get(0));
        return path;
      }
    }
  }

  private static EObject firstModifier(EObject root) {
    for (Iterator<EObject> all = root.eAllContents(); all.hasNext(); ) {
      EObject each = all.next();
      boolean ofMethod =
          each.eClass().getName().equals("Modifier")
              && each.eContainer().eClass().getName().equals("MethodDeclaration");
      if (ofMethod) {
        return each;
      }
    }
    return null;
  }

  private void save(String path, EObject root) throws IOException, GeneralSecurityException {
    BinaryResourceImpl resource =
        new BinaryResourceImpl(URI.createURI("modelstress:/model/" + path));
    resource.getContents().add(root);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    resource.save(bytes, null);
    Files.write(folder.resolve(path), bytes.toByteArray());
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray());
    ModelDescription.Entry changed =
        new ModelDescription.Entry(path, HexFormat.of().formatHex(hash));
    List<ModelDescription.Entry> files =
        description.files().stream().map(e -> e.path().equals(path) ? changed : e).toList();
    description = ModelDescription.of(description.metamodels(), files);
    description.write(folder);
  }
}
