package org.modelstress.hawk.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.modelstress.hawk.index.TrainFixture.all;
import static org.modelstress.hawk.index.TrainFixture.create;
import static org.modelstress.hawk.index.TrainFixture.get;
import static org.modelstress.hawk.index.TrainFixture.list;
import static org.modelstress.hawk.index.TrainFixture.set;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.emf.common.util.EList;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.index.LiveIndex.State;

/** What an update rewrites and computes anew, for edits whose effect is known. */
@Timeout(120)
class UpdateTest {
  @TempDir Path folder;
  private final MemoryBackend backend = new MemoryBackend();
  private EObject root;
  private Path model;
  private LiveIndex index;

  private void open(boolean named, List<Map<String, Object>> entries) throws Exception {
    root = TrainFixture.model(7);
    if (!named) {
      RandomEdits.removeIds(root);
    }
    model = TrainFixture.save(root, folder.resolve("model.xmi"));
    TrainFixture.build(model, TrainFixture.declarations(entries), backend, folder.resolve("live"));
    index = TrainFixture.open(backend, folder.resolve("live"));
  }

  @AfterEach
  void close() {
    if (index != null) {
      index.close();
    }
  }

  /** Writes the model, updates, and compares with an index built anew. */
  private UpdateCounts update() throws Exception {
    TrainFixture.save(root, model);
    index.synchronise(true);
    MemoryBackend reference = new MemoryBackend();
    Path fresh = folder.resolve("fresh");
    TrainFixture.build(model, index.catalog().declarations(), reference, fresh);
    try (LiveIndex built = TrainFixture.open(reference, fresh)) {
      assertEquals(
          IndexImage.of(built, new IndexFolder(fresh)),
          IndexImage.of(index, new IndexFolder(folder.resolve("live"))));
    }
    return index.lastUpdate();
  }

  private static UpdateCounts counts(
      int created, int deleted, int rewritten, int computed, int recomputed) {
    return new UpdateCounts(created, deleted, rewritten, computed, recomputed);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAttributeConcernsItsElementAlone(boolean named) throws Exception {
    open(named, TrainFixture.entries());
    set(all(root, "Segment").get(40), "length", -4711);
    assertEquals(counts(0, 0, 1, 0, 0), update());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aNewSegmentConcernsItsSensorAndRegion(boolean named) throws Exception {
    open(named, TrainFixture.entries());
    EObject sensor = all(root, "Sensor").get(3);
    EObject segment = create("Segment");
    if (named) {
      set(segment, "id", 999_999);
    }
    set(segment, "length", 5);
    list(sensor.eContainer(), "elements").add(7, segment);
    list(segment, "monitoredBy").add(sensor);
    assertEquals(counts(1, 0, 2, 0, 1), update());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRemovedSegmentConcernsThoseThatReferredToIt(boolean named) throws Exception {
    open(named, TrainFixture.entries());
    EObject segment =
        all(root, "Segment").stream()
            .filter(s -> s.eContents().isEmpty() && list(s, "monitoredBy").size() == 1)
            .skip(20)
            .findFirst()
            .orElseThrow();
    long connected =
        all(root, "TrackElement").stream()
            .filter(t -> list(t, "connectsTo").contains(segment))
            .count();
    EcoreUtil.delete(segment);
    assertEquals(counts(0, 1, (int) connected + 2, 0, 1), update());
  }

  @Test
  void aMovedElementKeepsItsNode() throws Exception {
    open(true, TrainFixture.entries());
    EObject sensor = all(root, "Sensor").get(3);
    List<EObject> regions = list(root, "regions");
    list(regions.get(4), "sensors").add(sensor);
    assertEquals(counts(0, 0, 2, 0, 0), update());
  }

  @Test
  void aMovedSubtreeIsRecognisedWithoutNames() throws Exception {
    open(false, TrainFixture.entries());
    EObject segment =
        all(root, "Segment").stream()
            .filter(s -> !s.eContents().isEmpty())
            .findFirst()
            .orElseThrow();
    EObject target = list(root, "regions").get(4);
    assertTrue(segment.eContainer() != target);
    list(target, "elements").add(segment);
    assertEquals(counts(0, 0, 2, 0, 0), update());
  }

  @Test
  void aNewSwitchIsComputedAndNothingElse() throws Exception {
    open(true, TrainFixture.entries());
    EObject element = create("Switch");
    set(element, "id", 999_999);
    list(list(root, "regions").get(0), "elements").add(element);
    assertEquals(counts(1, 0, 1, 1, 0), update());
  }

  @Test
  void anUnchangedFileIsNotLookedInto() throws Exception {
    open(true, TrainFixture.entries());
    assertEquals(UpdateCounts.NONE, update());
    assertTrue(index.message().contains("as it was"), index.message());
  }

  @Test
  void theExtentOfATypeIsADependency() throws Exception {
    open(true, List.of(TrainFixture.entry("Route", "switches", "Integer", "Switch.all.size()")));
    set(all(root, "Segment").get(0), "length", 12);
    assertEquals(counts(0, 0, 1, 0, 0), update());
    EObject element = create("Switch");
    set(element, "id", 999_999);
    list(list(root, "regions").get(0), "elements").add(element);
    assertEquals(counts(1, 0, 1, 0, 5), update());
  }

  @Test
  void attributesReadThroughReferencesAreDependencies() throws Exception {
    open(
        true,
        List.of(
            TrainFixture.entry(
                "Sensor",
                "shortest",
                "Integer",
                "self.monitors.select(e | e.isTypeOf(Segment)).collect(e | e.length).min(0)")));
    EObject segment =
        all(root, "Segment").stream()
            .filter(s -> list(s, "monitoredBy").size() == 1)
            .findFirst()
            .orElseThrow();
    set(segment, "length", -100_000);
    assertEquals(counts(0, 0, 1, 0, 1), update());
    EObject sensor = list(segment, "monitoredBy").get(0);
    set(sensor, "id", 999_999);
    long requiring =
        all(root, "Route").stream().filter(r -> list(r, "requires").contains(sensor)).count();
    int monitored = list(sensor, "monitors").size();
    // another name makes it another element: gone, and new
    assertEquals(counts(1, 1, monitored + (int) requiring + 1, 1, 0), update());
  }

  @Test
  void referencesReadBackwardsAreDependencies() throws Exception {
    open(
        true,
        List.of(
            TrainFixture.entry("Sensor", "nRoutes", "Integer", "self.revRefNav_requires.size()"),
            TrainFixture.entry(
                "Semaphore", "onActiveRegion", "Integer", "self.eContainer.eContainer.id")));
    EObject sensor = all(root, "Sensor").get(3);
    EObject route =
        all(root, "Route").stream()
            .filter(r -> !list(r, "requires").contains(sensor))
            .findFirst()
            .orElseThrow();
    list(route, "requires").add(sensor);
    assertEquals(counts(0, 0, 1, 0, 1), update());
    EObject semaphore = all(root, "Semaphore").get(0);
    EObject segment = semaphore.eContainer();
    EObject region =
        all(root, "Region").stream()
            .filter(r -> r != segment.eContainer())
            .findFirst()
            .orElseThrow();
    List<EObject> semaphores = list(segment, "semaphores");
    int moved = semaphores.size();
    list(region, "elements").add(segment);
    assertEquals(counts(0, 0, 2, 0, moved), update());
  }

  @Test
  void derivedAttributesMayReadEachOther() throws Exception {
    open(
        true,
        List.of(
            TrainFixture.entry("Sensor", "busy", "Boolean", "self.count > 5"),
            TrainFixture.entry("Sensor", "count", "Integer", "self.monitors.size()"),
            TrainFixture.entry(
                "Region", "busiest", "Integer", "self.sensors.collect(s | s.count).max(0)")));
    EObject sensor = all(root, "Sensor").get(3);
    EObject route =
        all(root, "TrackElement").stream()
            .filter(t -> !list(t, "monitoredBy").contains(sensor))
            .findFirst()
            .orElseThrow();
    list(route, "monitoredBy").add(sensor);
    // count of the sensor, and what reads it: busy, and busiest of its region
    assertEquals(counts(0, 0, 2, 0, 3), update());
  }

  @Test
  void aComputationThatFailsHasNoValueAndIsTriedAgain() throws Exception {
    open(true, List.of(TrainFixture.entry("Route", "entrySignal", "Integer", "self.entry.id")));
    EObject route =
        all(root, "Route").stream().filter(r -> get(r, "entry") != null).findFirst().orElseThrow();
    EObject entry = (EObject) get(route, "entry");
    int values = properties("Route", "entrySignal", Layout.VALUE).size();
    set(route, "entry", null);
    assertEquals(counts(0, 0, 1, 0, 1), update());
    assertEquals(values - 1, properties("Route", "entrySignal", Layout.VALUE).size());
    assertTrue(index.message().contains("entrySignal"), index.message());
    set(route, "entry", entry);
    assertEquals(counts(0, 0, 1, 0, 1), update());
  }

  @Test
  void aCircleEndsAndIsTold() throws Exception {
    open(
        true,
        List.of(
            TrainFixture.entry(
                "Region",
                "endless",
                "Integer",
                "if (self.endless.isDefined()) { return self.endless + 1; } return 0;")));
    List<Object> failures = properties("Region", "endless", Layout.FAILURE);
    assertEquals(5, failures.size());
    assertTrue(failures.stream().allMatch(f -> f.toString().contains("depends on itself")));
    assertEquals(List.of(), properties("Region", "endless", Layout.VALUE));
  }

  /** A property of the nodes of a derived attribute, of those that have it. */
  private List<Object> properties(String type, String attribute, String property) {
    List<Object> found = new ArrayList<>();
    Graph graph = index.graph();
    try (GraphReader reader = graph.read()) {
      LongArrayList elements = new LongArrayList();
      long node = index.catalog().named(type).get(0).node();
      reader.sources(node, graph.label(Layout.OF_KIND), elements);
      for (int i = 0; i < elements.size(); i++) {
        long value = reader.target(elements.get(i), graph.label(Layout.derived(attribute)));
        Object held = reader.property(value, graph.key(property));
        if (held != null) {
          found.add(held);
        }
      }
    }
    return found;
  }

  @Test
  void aFileThatCannotBeReadChangesNothing() throws Exception {
    open(true, TrainFixture.entries());
    List<String> before = IndexImage.of(index, new IndexFolder(folder.resolve("live")));
    Files.writeString(model, "<broken");
    var thrown = assertThrows(IllegalStateException.class, () -> index.synchronise(true));
    assertTrue(thrown.getMessage().contains("model.xmi"), thrown.getMessage());
    assertEquals(State.RUNNING, index.state());
    Files.delete(model);
    assertThrows(IllegalStateException.class, () -> index.synchronise(true));
    assertEquals(before, IndexImage.of(index, new IndexFolder(folder.resolve("live"))));
    set(all(root, "Segment").get(0), "length", 12);
    assertEquals(counts(0, 0, 1, 0, 0), update());
  }

  @Test
  void aHalfUpdatedIndexIsNotOpened() throws Exception {
    open(true, TrainFixture.entries());
    new IndexFolder(folder.resolve("live")).markDirty();
    GraphException thrown =
        assertThrows(
            GraphException.class, () -> TrainFixture.open(backend, folder.resolve("live")));
    assertTrue(thrown.getMessage().contains("load it again"), thrown.getMessage());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 10, 30})
  void afterAFailureHalfWayTheIndexAnswersNoMore(int lastWrite) throws Exception {
    open(true, TrainFixture.entries());
    Path live = folder.resolve("live");
    try (LiveIndex failing = TrainFixture.open(new FailingBackend(backend, lastWrite), live)) {
      EcoreUtil.delete(all(root, "Semaphore").get(0));
      list(list(root, "regions").get(0), "elements").add(create("Switch"));
      all(root, "Segment").forEach(segment -> set(segment, "length", 17));
      TrainFixture.save(root, model);
      assertThrows(GraphException.class, () -> failing.synchronise(true));
      assertEquals(State.STOPPED, failing.state());
      failing.start();
      assertEquals(State.STOPPED, failing.state());
      assertTrue(failing.message().contains("load the index again"), failing.message());
      assertThrows(NotRunningException.class, () -> failing.synchronise(true));
    }
    assertThrows(GraphException.class, () -> TrainFixture.open(backend, live));
  }

  @Test
  void aRegionThatMovedAndChangedIsRecognisedByWhatItHolds() throws Exception {
    open(false, TrainFixture.entries());
    var regions = (EList<EObject>) list(root, "regions");
    for (EObject region : regions) {
      set(list(region, "elements").get(0), "currentPosition", TrainFixture.literal("FAILURE"));
    }
    regions.move(0, regions.size() - 1);
    UpdateCounts counts = update();
    assertEquals(0, counts.created(), counts.toString());
    assertTrue(counts.rewritten() <= regions.size(), counts.toString());
  }
}
