package org.modelstress.mogwai.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.eclipse.emf.common.util.Enumerator;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.harness.samples.ElementIds;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.ReferenceSlot;
import org.modelstress.models.ElementIndex;
import org.modelstress.mogwai.store.BulkLoader;
import org.modelstress.mogwai.store.NeoEmfGraph;
import org.modelstress.mogwai.store.StoreOptions;
import org.modelstress.mogwai.store.Zoo;
import org.modelstress.thrift.results.ElementEncoder;
import org.modelstress.thrift.server.EncodedElements;
import org.modelstress.thrift.server.EncodedElements.Whole;

/** Elements with every kind of feature, as they are sent. */
@Timeout(120)
class NeoElementsTest {
  private static final int MODELS = 8;

  @TempDir private Path folder;
  private final Set<String> seen = new TreeSet<>();

  @Test
  void everyFeatureOfRandomModelsIsSent() throws Exception {
    for (int seed = 0; seed < MODELS; seed++) {
      check(Zoo.model(new Random(seed)), folder.resolve("model" + seed));
    }
    assertTrue(
        seen.containsAll(
            Set.of(
                "manyEInt",
                "manyELong",
                "manyEBoolean",
                "manyEDouble",
                "manyEFloat",
                "manyEShort",
                "manyEString",
                "manyColour",
                "oneColour",
                "oneEDate",
                "oneEByteArray",
                "parent",
                "children",
                "friends",
                "repeats",
                "owner",
                "next")),
        seen.toString());
  }

  private void check(List<EObject> roots, Path database) throws Exception {
    Path file = folder.resolve(database.getFileName() + ".mssf");
    BulkLoader.load(roots, database, file, "0".repeat(64), (done, total) -> {});
    ElementIndex model = new ElementIndex(roots);
    ElementIds ids = IdsFile.read(file);
    try (NeoEmfGraph graph = NeoEmfGraph.open(database, Zoo.registry(), StoreOptions.DEFAULT)) {
      NeoElements elements = new NeoElements(graph);
      HawkQueryOptions options = new HawkQueryOptions().setIncludeNodeIDs(true);
      List<ModelElement> sent = new ElementEncoder<>(elements, options).encodeAll(elements.roots());
      List<Whole> all = new EncodedElements(sent).all;
      // contained elements come in the order of the model
      assertEquals(
          IntStream.range(0, model.size()).mapToObj(i -> (long) i).toList(),
          all.stream().map(whole -> ids.indexOf(whole.element().getId())).toList());
      for (Whole whole : all) {
        EObject element = model.element(ids.indexOf(whole.element().getId()));
        assertEquals(element.eClass().getName(), whole.type());
        assertEquals(element.eClass().getEPackage().getNsURI(), whole.metamodel());
        assertEquals(attributes(element), EncodedElements.attributes(whole.element()));
        assertEquals(references(element, model), references(whole.element(), ids));
      }
    }
  }

  private Map<String, Object> attributes(EObject element) {
    Map<String, Object> values = new HashMap<>();
    for (EAttribute attribute : element.eClass().getEAllAttributes()) {
      if (element.eIsSet(attribute)) {
        EDataType type = attribute.getEAttributeType();
        Object value = element.eGet(attribute);
        if (!attribute.isMany()) {
          values.put(attribute.getName(), value(type, value));
        } else if (!((List<?>) value).isEmpty()) {
          values.put(
              attribute.getName(), ((List<?>) value).stream().map(v -> value(type, v)).toList());
        }
      }
    }
    seen.addAll(values.keySet());
    return values;
  }

  private static Object value(EDataType type, Object value) {
    if (value instanceof Enumerator literal) {
      return literal.getName();
    } else if (value instanceof Short || value instanceof Byte) {
      return ((Number) value).intValue();
    } else if (value instanceof Float real) {
      return (double) real;
    }
    Set<Class<?>> own = Set.of(Boolean.class, Integer.class, Long.class, Double.class);
    return own.contains(value.getClass()) ? value : EcoreUtil.convertToString(type, value);
  }

  /** References that do not contain, in order. */
  private Map<String, List<Long>> references(EObject element, ElementIndex model) {
    Map<String, List<Long>> targets = new HashMap<>();
    for (EStructuralFeature feature : element.eClass().getEAllStructuralFeatures()) {
      if (feature instanceof EReference reference && element.eIsSet(reference)) {
        seen.add(reference.getName());
        Object value = element.eGet(reference);
        List<?> list = value instanceof List<?> many ? many : List.of(value);
        if (!reference.isContainment() && !list.isEmpty()) {
          targets.put(
              reference.getName(), list.stream().map(t -> model.indexOf((EObject) t)).toList());
        }
      }
    }
    return targets;
  }

  private static Map<String, List<Long>> references(ModelElement sent, ElementIds ids) {
    Map<String, List<Long>> targets = new HashMap<>();
    if (sent.isSetReferences()) {
      for (ReferenceSlot slot : sent.getReferences()) {
        List<String> list = slot.isSetId() ? List.of(slot.getId()) : slot.getIds();
        assertFalse(list.isEmpty());
        targets.put(slot.getName(), list.stream().map(ids::indexOf).toList());
      }
    }
    return targets;
  }
}
