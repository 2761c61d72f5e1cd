package org.modelstress.hawk.index;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EEnum;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.graph.Backend;
import org.modelstress.hawk.query.Fidelity;
import org.modelstress.models.Metamodels;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelFiles;
import org.modelstress.models.ModelSource;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

/** Train models, files and declarations for tests. */
public final class TrainFixture {
  public static final String NS_URI = Metamodels.train().getNsURI();

  private TrainFixture() {}

  /** A small model; about 700 elements. */
  public static EObject model(long seed) {
    return TrainGenerator.generate(Line.LINE_2017, Scenario.REPAIR, 1, seed);
  }

  /** The three declarations of the study, as entries of a configuration. */
  public static List<Map<String, Object>> entries() {
    return List.of(
        Map.of("kind", "indexed", "metamodel", NS_URI, "type", "Segment", "name", "length"),
        entry(
            "Sensor",
            "nMonitoredSegments",
            "Integer",
            "self.monitors.select(e | e.isTypeOf(Segment)).size()"),
        entry("Switch", "isMonitored", "Boolean", "not self.monitoredBy.isEmpty()"));
  }

  /** The entry of a derived attribute. */
  public static Map<String, Object> entry(
      String type, String name, String valueType, String logic) {
    return Map.of(
        "kind", "derived",
        "metamodel", NS_URI,
        "type", type,
        "name", name,
        "value_type", valueType,
        "logic", logic);
  }

  static List<AttributeDeclaration> declarations(List<Map<String, Object>> entries) {
    return entries.stream().map(AttributeDeclaration::of).toList();
  }

  /** Builds an index of a model file. */
  static void build(
      Path model, List<AttributeDeclaration> declarations, Backend backend, Path folder)
      throws ModelException, IOException {
    Files.createDirectories(folder);
    IndexBuilder.build(
        model,
        ModelSource.read(model),
        declarations,
        backend,
        new IndexFolder(folder),
        16,
        (done, total) -> {});
  }

  static LiveIndex open(Backend backend, Path folder) {
    return LiveIndex.open(backend, folder, 16, Fidelity.IMPROVED);
  }

  /** Writes a model, replacing the file. */
  public static Path save(EObject root, Path file) throws ModelException {
    ModelFiles.save(root, file);
    return file;
  }

  static EClass type(String name) {
    return (EClass) Metamodels.train().getEClassifier(name);
  }

  static Object literal(String position) {
    EEnum positions = (EEnum) Metamodels.train().getEClassifier("Position");
    return positions.getEEnumLiteral(position);
  }

  static EObject create(String type) {
    return EcoreUtil.create(type(type));
  }

  static EStructuralFeature feature(EObject element, String name) {
    return element.eClass().getEStructuralFeature(name);
  }

  static Object get(EObject element, String name) {
    return element.eGet(feature(element, name));
  }

  static void set(EObject element, String name, Object value) {
    element.eSet(feature(element, name), value);
  }

  @SuppressWarnings("unchecked")
  static List<EObject> list(EObject element, String name) {
    return (List<EObject>) get(element, name);
  }

  /** All elements of a type, subtypes included, in containment order. */
  static List<EObject> all(EObject root, String type) {
    List<EObject> found = new ArrayList<>();
    for (Iterator<EObject> each = root.eAllContents(); each.hasNext(); ) {
      EObject element = each.next();
      if (type(type).isInstance(element)) {
        found.add(element);
      }
    }
    return found;
  }
}
