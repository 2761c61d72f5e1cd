package org.modelstress.hawk.server.thrift;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.eclipse.emf.ecore.EObject;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.hawk.api.ReferenceSlot;
import org.modelstress.hawk.index.TrainFixture;
import org.modelstress.thrift.client.ApiClient;
import org.modelstress.thrift.server.EncodedElements;
import org.modelstress.thrift.server.EncodedElements.Whole;

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

  private static List<ModelElement> model(HawkQueryOptions options) throws Exception {
    try (ApiClient client = served.client()) {
      return client.getModel(Served.INSTANCE, options);
    }
  }

  private static List<ModelElement> query(String text, HawkQueryOptions options) throws Exception {
    try (ApiClient client = served.client()) {
      return client.query(Served.INSTANCE, text, Served.EOL, options).getVList().stream()
          .map(QueryResult::getVModelElement)
          .toList();
    }
  }

  @Test
  void theWholeModelComesWithIdentifiers() throws Exception {
    List<Whole> all =
        new EncodedElements(model(new HawkQueryOptions().setIncludeNodeIDs(true))).all;
    assertEquals(served.elements.size(), all.size());
    Set<EObject> seen = new HashSet<>();
    for (Whole whole : all) {
      EObject element = served.element(whole.element().getId());
      assertTrue(seen.add(element));
      check(whole, element);
      EncodedElements.checkReferencesById(whole.element(), element, served::element);
    }
  }

  @Test
  void theWholeModelComesWithPositions() throws Exception {
    EncodedElements answer = new EncodedElements(model(new HawkQueryOptions()));
    assertEquals(served.elements.size(), answer.all.size());
    // in this model every element has an id attribute but the root
    Map<Object, EObject> byId = new HashMap<>();
    byId.put(null, served.elements.get(0));
    served.all("RailwayElement").forEach(e -> byId.put(Served.get(e, "id"), e));
    Function<ModelElement, EObject> elementOf =
        sent -> byId.get(EncodedElements.attributes(sent).get("id"));
    for (Whole whole : answer.all) {
      assertFalse(whole.element().isSetId());
      EObject element = elementOf.apply(whole.element());
      check(whole, element);
      answer.checkReferencesByPlace(whole.element(), element, elementOf);
    }
  }

  private static void check(Whole whole, EObject element) {
    assertTrue(whole.repository().startsWith("file:///"), whole.repository());
    assertEquals("/train model.xmi", whole.file());
    assertEquals(TrainFixture.NS_URI, whole.metamodel());
    assertEquals(element.eClass().getName(), whole.type());
    assertEquals(expectedAttributes(element), EncodedElements.attributes(whole.element()));
  }

  /** Those of the model and the declared ones. */
  private static Map<String, Object> expectedAttributes(EObject element) {
    Map<String, Object> values = EncodedElements.expectedAttributes(element);
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
    List<Whole> whole = new EncodedElements(found).all;
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
    List<Whole> all = new EncodedElements(query("return RailwayElement.all;", only)).all;
    assertEquals(served.all("Segment").size() + served.all("Sensor").size(), all.size());
    for (Whole one : all) {
      if (one.type().equals("Segment")) {
        assertTrue(
            Set.of("length").containsAll(EncodedElements.attributes(one.element()).keySet()));
        assertFalse(one.element().isSetReferences());
      } else {
        assertNotNull(EncodedElements.attributes(one.element()).get("nMonitoredSegments"));
      }
    }
    HawkQueryOptions never =
        new HawkQueryOptions()
            .setIncludeContained(false)
            .setIncludeDerived(false)
            .setEffectiveMetamodelExcludes(
                Map.of(uri, Map.of("Segment", Set.of("*"), "Sensor", Set.of("id"))));
    List<Whole> rest = new EncodedElements(query("return RailwayElement.all;", never)).all;
    assertEquals(served.all("RailwayElement").size() - served.all("Segment").size(), rest.size());
    for (Whole one : rest) {
      assertEquals(
          one.type().equals("Sensor"), EncodedElements.attributes(one.element()).isEmpty());
    }
  }

  @Test
  void proxiesAndRoots() throws Exception {
    try (ApiClient client = served.client()) {
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
      assertEquals(
          expectedAttributes(served.element(id)), EncodedElements.attributes(resolved.get(0)));
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

  @Test
  void theModelWithoutContainmentIsAllElementsInARow() throws Exception {
    HawkQueryOptions flat =
        new HawkQueryOptions().setIncludeNodeIDs(true).setIncludeContained(false);
    List<ModelElement> all = model(flat);
    assertEquals(served.elements.size(), all.size());
    Set<EObject> seen = new HashSet<>();
    for (ModelElement element : all) {
      assertNull(element.getContainers());
      assertTrue(seen.add(served.element(element.getId())));
    }
    Map<String, Map<String, Set<String>>> switches =
        Map.of(
            "http://www.semanticweb.org/ontologies/2015/trainbenchmark",
            Map.of("Switch", Set.of("*")));
    for (boolean contained : new boolean[] {true, false}) {
      HawkQueryOptions some =
          new HawkQueryOptions(flat)
              .setIncludeContained(contained)
              .setEffectiveMetamodelIncludes(switches);
      assertEquals(served.all("Switch").size(), model(some).size());
    }
    HawkQueryOptions nowhere = new HawkQueryOptions(flat).setFilePatterns(List.of("*.uml"));
    assertEquals(List.of(), model(nowhere));
  }
}
