package org.modelstress.mogwai.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tinkerpop.blueprints.Direction;
import com.tinkerpop.blueprints.Edge;
import com.tinkerpop.blueprints.Element;
import com.tinkerpop.blueprints.Vertex;
import fr.inria.atlanmod.neoemf.resource.PersistentResource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.harness.samples.ElementIds;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.Metamodels;
import org.modelstress.models.ModelException;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.index.IndexManager;

/** What the bulk loader writes is what NeoEMF would have written, and NeoEMF reads it. */
@Timeout(300)
class BulkLoaderTest {
  @TempDir Path folder;

  private int load(List<? extends EObject> roots, String name) throws ModelException {
    return BulkLoader.load(
        roots, folder.resolve(name), folder.resolve(name + ".mssf"), "hash", (done, total) -> {});
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void randomModelsAreWhatNeoEmfWritesAndReads(long seed) throws Exception {
    List<EObject> roots = Zoo.model(new Random(seed));
    checkAgainstNeoEmf(roots, Zoo.registry());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void trainModelsAreWhatNeoEmfWritesAndReads(int size) throws Exception {
    EObject root = train(size);
    load(List.of(root), "whole");
    checkReadByNeoEmf(List.of(root), Metamodels.registry(), "whole");
    // NeoEMF itself refuses the attribute id
    for (Iterator<EObject> all = root.eAllContents(); all.hasNext(); ) {
      EObject element = all.next();
      element.eUnset(element.eClass().getEStructuralFeature("id"));
    }
    checkAgainstNeoEmf(List.of(root), Metamodels.registry());
  }

  /** The model of the papers; NeoEMF looks every list's elements up one by one. */
  @Tag("long")
  @Test
  void thePapersModelIsReadByNeoEmf() throws Exception {
    List<EObject> roots = List.of(train(32));
    assertEquals(49_334, load(roots, "whole"));
    checkReadByNeoEmf(roots, Metamodels.registry(), "whole");
  }

  private static EObject train(int size) {
    return TrainGenerator.generate(
        Line.LINE_2016, Scenario.REPAIR, size, TrainGenerator.DEFAULT_SEED);
  }

  private void checkAgainstNeoEmf(List<EObject> roots, EPackage.Registry packages)
      throws Exception {
    load(roots, "bulk");
    Map<String, String> bulkNames = checkReadByNeoEmf(roots, packages, "bulk");
    ElementIds ids = IdsFile.read(folder.resolve("bulk.mssf"));
    bulkNames.forEach((id, element) -> assertEquals(element, "#" + ids.indexOf(id)));
    NeoEmfModels.persist(roots, folder.resolve("neoemf"));
    Map<String, String> names = checkReadByNeoEmf(roots, packages, "neoemf");
    try (ModelGraph bulk = open("bulk", packages);
        ModelGraph neoEmf = open("neoemf", packages)) {
      Images.assertSame(Images.graph(neoEmf, names), Images.graph(bulk, bulkNames));
      assertEquals(indices(neoEmf), indices(bulk));
      checkIndices(bulk, roots);
    }
  }

  private NeoEmfGraph open(String name, EPackage.Registry packages) {
    return NeoEmfGraph.open(folder.resolve(name), packages, StoreOptions.DEFAULT);
  }

  /** Element by element, and the instances of every class; returns NeoEMF's identifiers. */
  private Map<String, String> checkReadByNeoEmf(
      List<EObject> roots, EPackage.Registry packages, String name) {
    ElementIndex source = new ElementIndex(roots);
    PersistentResource resource =
        NeoEmfModels.open(folder.resolve(name), packages, StoreOptions.DEFAULT);
    try {
      ElementIndex reopened = new ElementIndex(resource.getContents());
      Images.assertSame(Images.model(source), Images.model(reopened));
      for (EClass eClass :
          source.element(0).eClass().getEPackage().getEClassifiers().stream()
              .filter(EClass.class::isInstance)
              .map(EClass.class::cast)
              .toList()) {
        assertEquals(
            instances(source, eClass), resource.getAllInstances(eClass).size(), eClass.getName());
      }
      return Images.names(reopened);
    } finally {
      resource.close();
    }
  }

  /** NeoEMF finds classes of the same package only. */
  private static long instances(ElementIndex elements, EClass eClass) {
    long count = 0;
    for (int i = 0; i < elements.size(); i++) {
      EClass its = elements.element(i).eClass();
      if (eClass.isSuperTypeOf(its) && its.getEPackage() == eClass.getEPackage()) {
        count++;
      }
    }
    return count;
  }

  private static Map<String, Map<String, String>> indices(ModelGraph graph) {
    IndexManager manager = graph.database().index();
    Map<String, Map<String, String>> all = new HashMap<>();
    for (String name : manager.nodeIndexNames()) {
      all.put("node " + name, manager.getConfiguration(manager.forNodes(name)));
    }
    for (String name : manager.relationshipIndexNames()) {
      all.put("edge " + name, manager.getConfiguration(manager.forRelationships(name)));
    }
    return all;
  }

  private void checkIndices(ModelGraph graph, List<EObject> roots) throws Exception {
    assertTrue(graph.graph().getIndexedKeys(Vertex.class).contains(Schema.ID));
    assertTrue(graph.graph().getIndexedKeys(Edge.class).contains(Schema.ID));
    for (Vertex vertex : graph.graph().getVertices()) {
      assertOnly(vertex, graph.graph().getVertices(Schema.ID, vertex.getProperty(Schema.ID)));
    }
    for (Edge edge : graph.graph().getEdges()) {
      assertOnly(edge, graph.graph().getEdges(Schema.ID, edge.getProperty(Schema.ID)));
      Relationship raw =
          (Relationship) ((com.tinkerpop.blueprints.impls.neo4j.Neo4jEdge) edge).getRawElement();
      Node start = raw.getStartNode();
      Object id = raw.getProperty(Schema.ID);
      assertEquals(
          raw,
          graph
              .database()
              .index()
              .getRelationshipAutoIndexer()
              .getAutoIndex()
              .get(Schema.ID, id, start, raw.getEndNode())
              .getSingle(),
          "found by its ends too");
    }
    ElementIds ids = IdsFile.read(folder.resolve("bulk.mssf"));
    ElementIndex elements = new ElementIndex(roots);
    for (Vertex vertex :
        graph.graph().getIndex(Schema.METACLASSES, Vertex.class).query(Schema.NAME, "*")) {
      checkOrder(vertex, ids, elements);
    }
  }

  private static void assertOnly(Element expected, Iterable<? extends Element> found) {
    List<Element> all = new ArrayList<>();
    found.forEach(all::add);
    assertEquals(List.of(expected), all);
  }

  /** Instances in the order of the model, and every list in its own, but for loops. */
  private static void checkOrder(Vertex metaclass, ElementIds ids, ElementIndex elements) {
    long before = -1;
    for (Vertex vertex : metaclass.getVertices(Direction.IN, Schema.INSTANCE_OF)) {
      String id = vertex.getProperty(Schema.ID);
      if (id.equals(Schema.ROOT)) {
        continue;
      }
      long index = ids.indexOf(id);
      assertTrue(index > before, "instances in the order of the model");
      before = index;
      EObject element = elements.element(index);
      for (EStructuralFeature feature : element.eClass().getEAllReferences()) {
        int last = -1;
        for (Edge edge : vertex.getEdges(Direction.OUT, feature.getName())) {
          boolean loop = edge.getVertex(Direction.IN).equals(vertex);
          if (feature.isMany() && !loop) {
            int position = edge.getProperty(Schema.POSITION);
            assertTrue(position > last, "positions ascend");
            last = position;
          }
        }
      }
    }
  }

  @Test
  void loadingTwiceGivesTheSameIdentifiers() throws Exception {
    EObject root = train(1);
    int elements = load(List.of(root), "one");
    assertEquals(elements, load(List.of(root), "two"));
    assertEquals(
        -1, java.nio.file.Files.mismatch(folder.resolve("one.mssf"), folder.resolve("two.mssf")));
    try (ModelGraph one = open("one", Metamodels.registry());
        ModelGraph two = open("two", Metamodels.registry())) {
      assertEquals(edgeIds(one), edgeIds(two));
    }
    Identifiers others = new Identifiers("another hash");
    ElementIds ids = IdsFile.read(folder.resolve("one.mssf"));
    for (int i = 0; i < elements; i++) {
      assertEquals(EcoreUtil.generateUUID().length(), others.element(i).length());
      assertTrue(ids.indexOf(others.element(i)) < 0, "identifiers depend on the model");
    }
  }

  private static List<String> edgeIds(ModelGraph graph) {
    List<String> ids = new ArrayList<>();
    for (Edge edge : graph.graph().getEdges()) {
      ids.add(edge.getProperty(Schema.ID));
    }
    assertFalse(ids.isEmpty());
    return ids;
  }

  @Test
  void progressIsTold() throws Exception {
    List<Long> told = new ArrayList<>();
    EObject root = train(4);
    int elements =
        BulkLoader.load(
            root,
            folder.resolve("graph"),
            folder.resolve("ids.mssf"),
            "hash",
            (done, total) -> {
              assertEquals(5_949, total);
              told.add(done);
            });
    assertEquals(5_949, elements);
    assertEquals(told.stream().sorted().toList(), told);
    assertTrue(told.size() > 2 && told.get(told.size() - 1) == elements, told.toString());
  }

  @Test
  void whatNeoEmfHasNoPlaceForIsRefused() {
    EPackage one = Zoo.newPackage("one", "http://modelstress.test/one");
    EPackage two = Zoo.newPackage("two", "http://modelstress.test/two");
    EClass a = Zoo.newClass(one, "Twin", false);
    EClass b = Zoo.newClass(two, "Twin", false);
    assertRefused("Twin@http://modelstress.test/one", EcoreUtil.create(a), EcoreUtil.create(b));

    EClass reserved = Zoo.newClass(one, "Reserved", false);
    Zoo.reference(reserved, a, Schema.CONTAINER, 1);
    assertRefused("Reserved.eContainer", EcoreUtil.create(reserved));

    EClass dangling = Zoo.newClass(one, "Dangling", false);
    EObject lost = EcoreUtil.create(dangling);
    lost.eSet(Zoo.reference(dangling, a, "target", 1), EcoreUtil.create(a));
    assertRefused("Dangling.target", lost);

    EClass nothing = Zoo.newClass(one, "Nothing", false);
    var text = Zoo.attribute(nothing, EcorePackage.Literals.ESTRING, "text", 1);
    text.setDefaultValueLiteral("something");
    EObject none = EcoreUtil.create(nothing);
    none.eSet(text, null);
    assertRefused("Nothing.text", none);
  }

  private void assertRefused(String part, EObject... roots) {
    ModelException e =
        assertThrows(ModelException.class, () -> load(List.of(roots), "refused" + part.hashCode()));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @Test
  void neoEmfsOwnLimitIsNamed() {
    ModelException e =
        assertThrows(
            ModelException.class,
            () -> NeoEmfModels.persist(List.of(train(1)), folder.resolve("graph")));
    assertTrue(e.getMessage().contains("RailwayElement.id"), e.getMessage());
  }

  @Test
  void aFolderInUseIsLeftAlone() throws Exception {
    java.nio.file.Files.createDirectories(folder.resolve("mine/precious"));
    StoreException e = assertThrows(StoreException.class, () -> load(List.of(train(1)), "mine"));
    assertTrue(e.getMessage().contains("not empty"), e.getMessage());
  }
}
