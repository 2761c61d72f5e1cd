package org.modelstress.metadata.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.metadata.Backends;
import org.modelstress.metadata.objects.Attribute;
import org.modelstress.metadata.objects.Discovery;
import org.modelstress.metadata.objects.Limits;
import org.modelstress.metadata.objects.Link;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataException.Reason;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ValueType;
import org.modelstress.metadata.web.WebServer;
import org.modelstress.metadata.web.WebService;

/** What the service promises, on real databases in both layouts, and over the web. */
class ServiceTest {
  private static final AtomicInteger NAMES = new AtomicInteger();

  /** What databases, JSON, formats of rows and URLs give a meaning to. */
  private static final String NASTY =
      "'; DROP TABLE object_version; -- \\ \\N \t \n \r \" ` % _ $1 ? ü € 𝄞 {}[]<>& /*x*/ \u0001\u007f";

  @TempDir private static Path folder;
  private static Backends backends;
  private static final Map<String, MetadataService> SERVICES = new TreeMap<>();

  @BeforeAll
  static void open() {
    backends = new Backends(folder);
  }

  @AfterAll
  static void close() throws Exception {
    SERVICES.clear();
    backends.close();
  }

  /** The service of backend, layout and cache; over the web where there is a fourth word. */
  private static MetadataService of(String what) throws Exception {
    MetadataService known = SERVICES.get(what);
    if (known != null) {
      return known;
    }
    String[] words = what.split("/");
    LocalService local = backends.service(words[0], words[1], "transactions", words[2]);
    MetadataService made = local;
    if (words.length == 4) {
      WebServer server = backends.closing(WebServer.start(local, "127.0.0.1", 0));
      made =
          new WebService(
              new WebService.Shared(5_000), URI.create(server.endpoints().get("http")), 20_000);
    }
    SERVICES.put(what, made);
    return made;
  }

  private static String fresh(String what) {
    return what + "-" + NAMES.incrementAndGet();
  }

  private static Attribute attribute(String name, ValueType type, boolean indexed, Object value) {
    return new Attribute(name, type, indexed, value);
  }

  private static String sensor(MetadataService service) throws MetadataException {
    String name = fresh("sensor");
    service.define(
        name,
        List.of(
            attribute("station", ValueType.TEXT, true, null),
            attribute("gain", ValueType.DECIMAL, true, 1.0),
            attribute("note", ValueType.TEXT, false, "none")));
    return name;
  }

  private static void refused(Reason reason, String part, Executable call) {
    MetadataException e = assertThrows(MetadataException.class, call);
    assertEquals(reason, e.reason(), e.getMessage());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgresql/rows/none",
        "mariadb/document/objects",
        "sqlite/rows/types",
        "h2/rows/types/web"
      })
  void promisesHold(String what) throws Exception {
    hold(what);
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(
      strings = {
        "postgresql/document/types",
        "mariadb/rows/types",
        "h2/rows/objects",
        "h2/document/none",
        "sqlite/document/types",
        "postgresql/document/none/web"
      })
  void promisesHoldOfAllOthers(String what) throws Exception {
    hold(what);
  }

  private static void hold(String what) throws Exception {
    MetadataService service = of(what);
    objectsCopyTheirType(service);
    valuesComeBack(service);
    manyAtOnceAreAsOne(service);
    typesGrowAtTheEnd(service);
    versionsHaveNoGaps(service);
    valuesAndRangesAreFound(service);
    linksLeadBothWays(service);
    groupsHappenOrNot(service);
    whatMakesNoSenseIsRefused(service);
  }

  private static void objectsCopyTheirType(MetadataService service) throws MetadataException {
    String type = sensor(service);
    MetadataObject made = service.create(type, Map.of("station", "north"));
    assertEquals(1, made.version());
    MetadataObject read = service.get(made.id());
    assertEquals(Map.of("station", "north", "gain", 1.0, "note", "none"), read.byName());
    assertEquals(read.byName(), made.byName());
    assertTrue(service.types().contains(type));
    assertEquals(service.type(type).attributes(), read.type().attributes());
  }

  private static void valuesComeBack(MetadataService service) throws MetadataException {
    String type = fresh("all");
    List<Attribute> attributes = new ArrayList<>();
    for (ValueType each : ValueType.values()) {
      attributes.add(attribute(each.word(), each, false, null));
      attributes.add(attribute("indexed-" + each.word(), each, true, null));
    }
    service.define(type, attributes);
    Map<String, Object> values = new TreeMap<>();
    values.put("text", NASTY + "x".repeat(Limits.TEXT - NASTY.length()));
    values.put("indexed-text", NASTY);
    values.put("integer", Long.MIN_VALUE);
    values.put("indexed-integer", -1L);
    values.put("decimal", Double.MIN_VALUE);
    values.put("indexed-decimal", -1.5e300);
    values.put("boolean", true);
    values.put("indexed-boolean", false);
    values.put("time", Instant.parse("0000-01-01T00:00:00Z"));
    values.put("indexed-time", Instant.parse("9999-12-31T23:59:59.999Z"));
    long one = service.create(type, values).id();
    assertEquals(values, new TreeMap<>(service.get(one).byName()));
    // so many that they take the way of many rows
    List<Long> many = service.createAll(type, Collections.nCopies(150, values));
    for (MetadataObject each : service.getAll(many)) {
      assertEquals(values, new TreeMap<>(each.byName()));
    }
    for (ValueType each : ValueType.values()) {
      String name = "indexed-" + each.word();
      List<Long> found = service.discover(Discovery.value(type, name, values.get(name), 1_000));
      assertEquals(151, found.size(), name);
    }
  }

  private static void manyAtOnceAreAsOne(MetadataService service) throws MetadataException {
    String type = sensor(service);
    List<Map<String, Object>> values = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      values.add(Map.of("station", "s" + i, "gain", (double) i));
    }
    List<Long> ids = service.createAll(type, values);
    assertEquals(1_000, ids.stream().distinct().count());
    for (int i : new int[] {0, 1, 500, 999}) {
      assertEquals("s" + i, service.get(ids.get(i)).value("station"));
    }
    // the last makes no sense: none is there
    values.add(Map.of("station", "x", "gain", "much"));
    refused(Reason.INVALID, "gain", () -> service.createAll(type, values));
    assertEquals(1_000, service.discover(Discovery.all(type, 2_000)).size());
  }

  private static void typesGrowAtTheEnd(MetadataService service) throws MetadataException {
    String type = sensor(service);
    long before = service.create(type, Map.of("station", "north")).id();
    List<Attribute> more = new ArrayList<>(service.type(type).attributes());
    assertEquals(1, service.define(type, more).version());
    more.add(attribute("depth", ValueType.INTEGER, false, 7L));
    assertEquals(2, service.define(type, more).version());
    long after = service.create(type, Map.of("station", "south")).id();
    assertEquals(7L, service.get(after).value("depth"));
    assertEquals(3, service.get(before).values().length);
    Collections.reverse(more);
    refused(Reason.INVALID, "other attributes", () -> service.define(type, more));
  }

  private static void versionsHaveNoGaps(MetadataService service) throws MetadataException {
    long id = service.create(sensor(service), Map.of("station", "north")).id();
    for (int base = 1; base < 5; base++) {
      MetadataObject next = service.update(id, base, Map.of("gain", base + 0.5));
      assertEquals(base + 1, next.version());
    }
    refused(Reason.CONFLICT, "", () -> service.update(id, 4, Map.of("gain", 9.0)));
    refused(Reason.CONFLICT, "", () -> service.update(id, 6, Map.of("gain", 9.0)));
    assertEquals(5, service.get(id).version());
    for (int version = 1; version <= 5; version++) {
      double expected = version == 1 ? 1.0 : version - 0.5;
      assertEquals(expected, service.get(id, version).value("gain"));
      assertEquals("north", service.get(id, version).value("station"));
    }
    refused(Reason.NOT_FOUND, "version 6", () -> service.get(id, 6));
  }

  private static void valuesAndRangesAreFound(MetadataService service) throws MetadataException {
    String type = sensor(service);
    double[] gains = {-1e9, -2.5, -0.0, 0.001, 3, 1e9};
    List<Long> ids = new ArrayList<>();
    for (double gain : gains) {
      ids.add(service.create(type, Map.of("station", "g", "gain", gain)).id());
    }
    assertEquals(ids, service.discover(new Discovery(type, "gain", null, null, 10)));
    assertEquals(ids.subList(1, 5), service.discover(new Discovery(type, "gain", -2.5, 3.0, 10)));
    assertEquals(ids.subList(4, 6), service.discover(new Discovery(type, "gain", 0.1, null, 10)));
    assertEquals(ids.subList(0, 2), service.discover(new Discovery(type, "gain", null, 3.0, 2)));
    assertEquals(List.of(ids.get(2)), service.discover(Discovery.value(type, "gain", 0.0, 10)));
    // what an object was, it is not found by
    service.update(ids.get(0), 1, Map.of("gain", 5.0));
    assertEquals(
        List.of(ids.get(4), ids.get(0), ids.get(5)),
        service.discover(new Discovery(type, "gain", 2.0, null, 10)));
    assertEquals(
        List.of(ids.get(1)), service.discover(new Discovery(type, "gain", null, -1.0, 10)));
    refused(
        Reason.INVALID,
        "not indexed",
        () -> service.discover(Discovery.value(type, "note", "none", 1)));
  }

  private static void linksLeadBothWays(MetadataService service) throws MetadataException {
    String type = sensor(service);
    long[] ids = new long[3];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = service.create(type, Map.of("station", "l" + i)).id();
    }
    service.link(new Link(ids[0], "beside", ids[1]));
    service.link(new Link(ids[0], "beside", ids[1]));
    service.link(new Link(ids[0], "above", ids[2]));
    assertEquals(
        List.of(new Link(ids[0], "above", ids[2]), new Link(ids[0], "beside", ids[1])),
        service.links(ids[0], false, null, 10));
    assertEquals(
        List.of(new Link(ids[0], "beside", ids[1])), service.links(ids[1], true, "beside", 10));
    assertEquals(List.of(), service.links(ids[1], false, null, 10));
    refused(
        Reason.NOT_FOUND, "no object", () -> service.link(new Link(ids[0], "beside", 1L << 60)));
    refused(Reason.INVALID, "no name", () -> service.link(new Link(ids[0], "a b", ids[1])));
  }

  /** The last version of many costs what the only one does: two objects are read in turns. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgresql/rows/types",
        "mariadb/rows/types",
        "h2/rows/types",
        "sqlite/rows/types"
      })
  void manyVersionsAreNoBurden(String what) throws Exception {
    MetadataService service = of(what);
    String type = sensor(service);
    long old = service.create(type, Map.of("station", "old")).id();
    long young = service.create(type, Map.of("station", "young")).id();
    int versions = 500;
    for (int version = 1; version < versions; version++) {
      service.update(old, version, Map.of("gain", (double) version));
    }
    assertEquals(versions, service.get(old).version());
    assertEquals(List.of(versions, 1), versionsOf(service, List.of(old, young)));
    int reads = 200;
    long[] ofOld = new long[reads];
    long[] ofYoung = new long[reads];
    for (int read = 0; read < reads; read++) {
      ofOld[read] = took(() -> service.get(old));
      ofYoung[read] = took(() -> service.get(young));
    }
    Arrays.sort(ofOld);
    Arrays.sort(ofYoung);
    double ratio = (double) ofOld[reads / 2] / ofYoung[reads / 2];
    assertTrue(
        ratio < 4, "an object of 500 versions takes " + ratio + " times as long as one of 1");
  }

  private static List<Integer> versionsOf(MetadataService service, List<Long> ids)
      throws MetadataException {
    return service.getAll(ids).stream().map(MetadataObject::version).toList();
  }

  private static long took(Callable<?> call) throws Exception {
    long begin = System.nanoTime();
    call.call();
    return System.nanoTime() - begin;
  }

  private static void groupsHappenOrNot(MetadataService service) throws MetadataException {
    String type = sensor(service);
    long id = service.create(type, Map.of("station", "north")).id();
    List<Change> group =
        List.of(
            new Change.Update(id, 1, Map.of("gain", 2.0)),
            new Change.Create(type, Map.of("station", "south")));
    List<Changed> changed = ended(service, service.submit(group));
    assertEquals(new Changed(id, 2), changed.get(0));
    assertEquals("south", service.get(changed.get(1).id()).value("station"));
    // its first change is late now: the second does not happen either
    long late = service.submit(group);
    refused(Reason.CONFLICT, "", () -> ended(service, late));
    assertEquals(2, service.discover(Discovery.all(type, 10)).size());
    refused(Reason.NOT_FOUND, "ticket", () -> service.await(late, 0));
  }

  private static List<Changed> ended(MetadataService service, long ticket)
      throws MetadataException {
    List<Changed> changed = null;
    for (int tries = 0; changed == null && tries < 100; tries++) {
      changed = service.await(ticket, 500);
    }
    return changed;
  }

  private static void whatMakesNoSenseIsRefused(MetadataService service) throws MetadataException {
    String type = sensor(service);
    refused(Reason.NOT_FOUND, "no type", () -> service.create("unheard-of", Map.of()));
    refused(Reason.INVALID, "station: it has no value", () -> service.create(type, Map.of()));
    refused(Reason.INVALID, "no attribute 'x'", () -> service.create(type, Map.of("x", "y")));
    refused(Reason.INVALID, "no text", () -> service.create(type, Map.of("station", 1L)));
    refused(
        Reason.INVALID, "over 255", () -> service.create(type, Map.of("station", "x".repeat(256))));
    refused(Reason.INVALID, "character 0", () -> service.create(type, Map.of("station", "a\0b")));
    refused(Reason.NOT_FOUND, "no object", () -> service.get(1L << 60));
    refused(Reason.NOT_FOUND, "", () -> service.update(1L << 60, 1, Map.of()));
    List<Attribute> one = List.of(attribute("a", ValueType.TEXT, false, null));
    refused(Reason.INVALID, "no name", () -> service.define("'; --", one));
  }
}
