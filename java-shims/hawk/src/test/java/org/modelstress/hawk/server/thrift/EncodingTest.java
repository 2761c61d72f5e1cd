package org.modelstress.hawk.server.thrift;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.eclipse.emf.common.util.Enumerator;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.hawk.api.AttributeSlot;
import org.modelstress.hawk.api.ContainerSlot;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.hawk.api.ReferenceSlot;
import org.modelstress.hawk.index.TrainFixture;

/** Elements in answers against the model in memory. */
@Timeout(120)
class EncodingTest {
  @TempDir private static Path folder;
  private static Served served;

  @BeforeAll
  static void start() throws Exception {
    served = Served.start(Served.backends().get(0), folder, Map.of());
  }

  @AfterAll
  static void stop() throws Exception {
    served.close();
  }

  /** An element with the file and type that it leaves out when they are those of the one before. */
  private record Whole(ModelElement element, String file, String type) {}

  /** Elements in the order in which they are written, contained ones after their container. */
  private static final class Unfolded {
    final List<Whole> all = new ArrayList<>();
    private String repository;
    private String file;
    private String metamodel;
    private String type;

    Unfolded(List<ModelElement> roots) {
      roots.forEach(this::add);
    }

    private void add(ModelElement element) {
      repository = element.isSetRepositoryURL() ? element.getRepositoryURL() : repository;
      file = element.isSetFile() ? element.getFile() : file;
      metamodel = element.isSetMetamodelUri() ? element.getMetamodelUri() : metamodel;
      type = element.isSetTypeName() ? element.getTypeName() : type;
      assertTrue(repository.startsWith("file:///"), repository);
      assertEquals(TrainFixture.NS_URI, metamodel);
      all.add(new Whole(element, file, type));
      if (element.isSetContainers()) {
        for (ContainerSlot slot : element.getContainers()) {
          slot.getElements().forEach(this::add);
        }
      }
    }
  }

  private static List<ModelElement> model(HawkQueryOptions options) throws Exception {
    try (Served.Client client = served.client()) {
      return client.getModel(Served.INSTANCE, options);
    }
  }

  private static List<ModelElement> query(String text, HawkQueryOptions options) throws Exception {
    try (Served.Client client = served.client()) {
      return client.query(Served.INSTANCE, text, Served.EOL, options).getVList().stream()
          .map(QueryResult::getVModelElement)
          .toList();
    }
  }

  @Test
  void theWholeModelComesWithIdentifiers() throws Exception {
    List<Whole> all = new Unfolded(model(new HawkQueryOptions().setIncludeNodeIDs(true))).all;
    assertEquals(served.elements.size(), all.size());
    Set<EObject> seen = new HashSet<>();
    for (Whole whole : all) {
      EObject element = served.element(whole.element().getId());
      assertTrue(seen.add(element));
      check(whole, element, all, false);
    }
  }

  @Test
  void theWholeModelComesWithPositions() throws Exception {
    List<Whole> all = new Unfolded(model(new HawkQueryOptions())).all;
    assertEquals(served.elements.size(), all.size());
    // in this model every element has an id attribute but the root
    Map<Integer, EObject> byId = new HashMap<>();
    served.all("RailwayElement").forEach(e -> byId.put((Integer) Served.get(e, "id"), e));
    for (Whole whole : all) {
      assertFalse(whole.element().isSetId());
      check(whole, elementOf(whole, byId), all, true);
    }
  }

  private static EObject elementOf(Whole whole, Map<Integer, EObject> byId) {
    Object id = attributes(whole.element()).get("id");
    return id == null ? served.elements.get(0) : byId.get(id);
  }

  private static Map<String, Object> attributes(ModelElement element) {
    Map<String, Object> values = new HashMap<>();
    if (element.isSetAttributes()) {
      for (AttributeSlot slot : element.getAttributes()) {
        values.put(slot.getName(), slot.getValue().getFieldValue());
      }
    }
    return values;
  }

  private static void check(Whole whole, EObject element, List<Whole> all, boolean positions) {
    assertEquals("/train model.xmi", whole.file());
    assertEquals(element.eClass().getName(), whole.type());
    assertEquals(expectedAttributes(element), attributes(whole.element()));
    Map<String, Set<EObject>> references = new HashMap<>();
    Map<Integer, EObject> byId = new HashMap<>();
    if (positions) {
      served.all("RailwayElement").forEach(e -> byId.put((Integer) Served.get(e, "id"), e));
    }
    Function<Integer, EObject> at = place -> elementOf(all.get(place), byId);
    if (whole.element().isSetReferences()) {
      for (ReferenceSlot slot : whole.element().getReferences()) {
        references.put(slot.getName(), targets(slot, positions, at));
      }
    }
    assertEquals(expectedReferences(element), references);
  }

  private static Set<EObject> targets(
      ReferenceSlot slot, boolean positions, Function<Integer, EObject> at) {
    Set<EObject> targets = new HashSet<>();
    if (positions) {
      assertFalse(slot.isSetId() || slot.isSetIds() || slot.isSetMixed());
      List<Integer> places =
          slot.isSetPosition() ? List.of(slot.getPosition()) : slot.getPositions();
      assertTrue(slot.isSetPosition() || places.size() > 1);
      places.forEach(place -> targets.add(at.apply(place)));
    } else {
      assertFalse(slot.isSetPosition() || slot.isSetPositions() || slot.isSetMixed());
      List<String> ids = slot.isSetId() ? List.of(slot.getId()) : slot.getIds();
      assertTrue(slot.isSetId() || ids.size() > 1);
      ids.forEach(id -> targets.add(served.element(id)));
    }
    return targets;
  }

  private static Map<String, Object> expectedAttributes(EObject element) {
    Map<String, Object> values = new HashMap<>();
    for (EAttribute attribute : element.eClass().getEAllAttributes()) {
      if (element.eIsSet(attribute)) {
        Object value = element.eGet(attribute);
        values.put(attribute.getName(), value instanceof Enumerator e ? e.getName() : value);
      }
    }
    if (element.eClass().getName().equals("Sensor")) {
      long segments =
          ((List<?>) Served.get(element, "monitors"))
              .stream().filter(e -> ((EObject) e).eClass().getName().equals("Segment")).count();
      values.put("nMonitoredSegments", (int) segments);
    } else if (element.eClass().getName().equals("Switch")) {
      values.put("isMonitored", !((List<?>) Served.get(element, "monitoredBy")).isEmpty());
    }
    return values;
  }

  private static Map<String, Set<EObject>> expectedReferences(EObject element) {
    Map<String, Set<EObject>> references = new HashMap<>();
    for (EReference reference : element.eClass().getEAllReferences()) {
      if (!reference.isContainment() && element.eIsSet(reference)) {
        Set<EObject> targets = new HashSet<>();
        Object value = element.eGet(reference);
        if (value instanceof List<?> list) {
          list.forEach(target -> targets.add((EObject) target));
        } else {
          targets.add((EObject) value);
        }
        references.put(reference.getName(), targets);
      }
    }
    return references;
  }

  @Test
  void onlyIdentifiersWhenNothingElseIsAskedFor() throws Exception {
    HawkQueryOptions options =
        new HawkQueryOptions()
            .setIncludeAttributes(false)
            .setIncludeReferences(false)
            .setIncludeContained(false)
            .setIncludeNodeIDs(true);
    List<ModelElement> found = query("return TrackElement.all;", options);
    Set<EObject> elements = new HashSet<>();
    List<Whole> whole = new Unfolded(found).all;
    for (Whole one : whole) {
      EObject element = served.element(one.element().getId());
      elements.add(element);
      assertEquals(element.eClass().getName(), one.type());
      assertFalse(
          one.element().isSetAttributes()
              || one.element().isSetReferences()
              || one.element().isSetContainers());
    }
    assertEquals(new HashSet<>(served.all("TrackElement")), elements);
    assertEquals(1, found.stream().filter(ModelElement::isSetFile).count());
    assertEquals(1, found.stream().filter(ModelElement::isSetMetamodelUri).count());
    long changes = 1;
    for (int i = 1; i < whole.size(); i++) {
      changes += whole.get(i).type().equals(whole.get(i - 1).type()) ? 0 : 1;
    }
    assertEquals(changes, found.stream().filter(ModelElement::isSetTypeName).count());
  }

  @Test
  void referencesOutOfTheAnswerAreIdentifiers() throws Exception {
    HawkQueryOptions options = new HawkQueryOptions().setIncludeContained(false);
    List<ModelElement> found = query("return Route.all;", options);
    int mixed = 0;
    for (ModelElement route : found) {
      for (ReferenceSlot slot : route.getReferences()) {
        assertFalse(slot.isSetPosition() || slot.isSetPositions());
        mixed += slot.isSetMixed() ? 1 : 0;
      }
    }
    assertEquals(0, mixed);
    // half of the sensors that the first route requires are in the answer, the others are not
    String query =
        "var r = Route.all.first(); var all = Sequence{r}; var i = 0;"
            + " for (s in r.requires) { if (i * 2 < r.requires.size()) { all.add(s); }"
            + " i = i + 1; } return all;";
    List<ModelElement> some = query(query, options);
    ReferenceSlot requires =
        some.get(0).getReferences().stream()
            .filter(s -> s.getName().equals("requires"))
            .findFirst()
            .orElseThrow();
    assertTrue(requires.isSetMixed());
    assertEquals(
        some.size() - 1, requires.getMixed().stream().filter(m -> m.isSetPosition()).count());
    assertTrue(requires.getMixed().stream().anyMatch(m -> m.isSetId()));
  }

  @Test
  void theEffectiveMetamodelLimitsWhatIsSent() throws Exception {
    String uri = TrainFixture.NS_URI;
    HawkQueryOptions only =
        new HawkQueryOptions()
            .setEffectiveMetamodelIncludes(
                Map.of(uri, Map.of("Segment", Set.of("length"), "Sensor", Set.of("*"))));
    List<Whole> all = new Unfolded(query("return RailwayElement.all;", only)).all;
    assertEquals(served.all("Segment").size() + served.all("Sensor").size(), all.size());
    for (Whole one : all) {
      if (one.type().equals("Segment")) {
        assertTrue(Set.of("length").containsAll(attributes(one.element()).keySet()));
        assertFalse(one.element().isSetReferences());
      } else {
        assertNotNull(attributes(one.element()).get("nMonitoredSegments"));
      }
    }
    HawkQueryOptions never =
        new HawkQueryOptions()
            .setIncludeContained(false)
            .setIncludeDerived(false)
            .setEffectiveMetamodelExcludes(
                Map.of(uri, Map.of("Segment", Set.of("*"), "Sensor", Set.of("id"))));
    List<Whole> rest = new Unfolded(query("return RailwayElement.all;", never)).all;
    assertEquals(served.all("RailwayElement").size() - served.all("Segment").size(), rest.size());
    for (Whole one : rest) {
      assertEquals(one.type().equals("Sensor"), attributes(one.element()).isEmpty());
    }
  }

  @Test
  void proxiesAndRoots() throws Exception {
    try (Served.Client client = served.client()) {
      HawkQueryOptions options = new HawkQueryOptions().setIncludeNodeIDs(true);
      List<ModelElement> roots = client.getRootElements(Served.INSTANCE, new HawkQueryOptions());
      assertEquals(1, roots.size());
      assertEquals("RailwayContainer", roots.get(0).getTypeName());
      assertNull(roots.get(0).getContainers());
      String id = query("return Switch.all;", options).get(0).getId();
      List<ModelElement> resolved =
          client.resolveProxies(Served.INSTANCE, List.of(id, "999999999"), options);
      assertEquals(1, resolved.size());
      assertEquals(id, resolved.get(0).getId());
      assertEquals(expectedAttributes(served.element(id)), attributes(resolved.get(0)));
      HawkQueryOptions elsewhere = new HawkQueryOptions().setFilePatterns(List.of("*.uml"));
      assertEquals(List.of(), client.getRootElements(Served.INSTANCE, elsewhere));
      assertEquals(List.of(), query("return Switch.all;", elsewhere));
      HawkQueryOptions here =
          new HawkQueryOptions()
              .setIncludeContained(false)
              .setRepositoryPattern("file:///*")
              .setFilePatterns(List.of("/train*.xmi"));
      assertEquals(served.all("Switch").size(), query("return Switch.all;", here).size());
      assertEquals(
          List.of(),
          query("return Switch.all;", new HawkQueryOptions().setRepositoryPattern("svn:*")));
    }
  }
}
