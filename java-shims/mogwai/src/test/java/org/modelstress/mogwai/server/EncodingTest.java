package org.modelstress.mogwai.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import org.modelstress.models.Metamodels;
import org.modelstress.mogwai.driver.MogwaiDriver;
import org.modelstress.thrift.client.ApiClient;
import org.modelstress.thrift.server.EncodedElements;
import org.modelstress.thrift.server.EncodedElements.Whole;

/** Elements of NeoEMF as Hawk's API sends them. */
@Timeout(60)
class EncodingTest {
  private static final String URI = Metamodels.train().getNsURI();

  @TempDir private static Path folder;
  private static Served served;

  @BeforeAll
  static void start() throws Exception {
    served = Served.start(folder, Map.of());
  }

  @AfterAll
  static void stop() {
    served.close();
  }

  private static List<ModelElement> query(String text, HawkQueryOptions options) throws Exception {
    try (ApiClient client = served.client()) {
      return client.query(Served.INSTANCE, text, MogwaiDriver.OCL, options).getVList().stream()
          .map(QueryResult::getVModelElement)
          .toList();
    }
  }

  private static List<ModelElement> model(HawkQueryOptions options) throws Exception {
    try (ApiClient client = served.client()) {
      return client.getModel(Served.INSTANCE, options);
    }
  }

  private static void check(Whole whole, EObject element) {
    assertEquals(URI, whole.metamodel());
    assertEquals(element.eClass().getName(), whole.type());
    assertNull(whole.file());
    assertEquals(
        EncodedElements.expectedAttributes(element), EncodedElements.attributes(whole.element()));
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

  @Test
  void onlyIdentifiersWhenNothingElseIsAskedFor() throws Exception {
    HawkQueryOptions options =
        new HawkQueryOptions()
            .setIncludeAttributes(false)
            .setIncludeReferences(false)
            .setIncludeContained(false)
            .setIncludeNodeIDs(true);
    Set<EObject> elements = new HashSet<>();
    for (ModelElement one : query("railway::TrackElement.allInstances()", options)) {
      elements.add(served.element(one.getId()));
      assertEquals(new ModelElement().setId(one.getId()), one);
    }
    assertEquals(new HashSet<>(served.all("TrackElement")), elements);
  }

  @Test
  void theEffectiveMetamodelLimitsWhatIsSent() throws Exception {
    HawkQueryOptions only =
        new HawkQueryOptions()
            .setEffectiveMetamodelIncludes(Map.of(URI, Map.of("Segment", Set.of("length"))));
    List<Whole> all = new EncodedElements(query("railway::TrackElement.allInstances()", only)).all;
    assertEquals(served.all("Segment").size(), all.size());
    for (Whole one : all) {
      assertEquals("Segment", one.type());
      assertTrue(Set.of("length").containsAll(EncodedElements.attributes(one.element()).keySet()));
      assertFalse(one.element().isSetReferences());
    }
    HawkQueryOptions identifiers =
        new HawkQueryOptions(only)
            .setIncludeAttributes(false)
            .setIncludeReferences(false)
            .setIncludeContained(false)
            .setIncludeNodeIDs(true);
    assertEquals(
        served.all("Segment").size(),
        query("railway::TrackElement.allInstances()", identifiers).size());
  }

  @Test
  void proxiesAndRoots() throws Exception {
    try (ApiClient client = served.client()) {
      HawkQueryOptions options = new HawkQueryOptions().setIncludeNodeIDs(true);
      List<ModelElement> roots = client.getRootElements(Served.INSTANCE, new HawkQueryOptions());
      assertEquals(1, roots.size());
      assertEquals("RailwayContainer", roots.get(0).getTypeName());
      assertNull(roots.get(0).getContainers());
      String id = query("railway::Switch.allInstances()", options).get(0).getId();
      List<ModelElement> resolved =
          client.resolveProxies(
              Served.INSTANCE, List.of(id, "no such element", "ROOT", "Switch@" + URI), options);
      assertEquals(1, resolved.size());
      assertEquals(id, resolved.get(0).getId());
      assertEquals(
          EncodedElements.expectedAttributes(served.element(id)),
          EncodedElements.attributes(resolved.get(0)));
    }
  }
}
