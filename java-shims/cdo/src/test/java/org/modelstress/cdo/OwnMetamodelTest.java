package org.modelstress.cdo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcoreFactory;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.impl.EPackageRegistryImpl;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.cdo.driver.CdoDriver;
import org.modelstress.harness.samples.ElementIds;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.ServerConfig;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelSource;
import org.modelstress.models.Oracle;

/** Models of several files that bring their metamodels. */
@Timeout(240)
class OwnMetamodelTest {
  /** Three files of two metamodels that refer to each other; tests run in the module's folder. */
  private static final Path MODEL = Path.of("../example/src/test/model/model.json");

  @TempDir Path folder;

  private static ServerOptions options() throws ServerException {
    return ServerOptions.of(Map.of());
  }

  private int load(ModelSource model, int batchSize) throws Exception {
    return Loader.load(model, folder, options(), (done, total) -> {}, batchSize);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, Loader.BATCH})
  void everyElementIsStoredAsItIs(int batchSize) throws Exception {
    ModelSource model = ModelSource.read(MODEL);
    ElementIndex source = new ElementIndex(model.roots());
    assertEquals(source.size(), load(model, batchSize));
    assertStored(source);
  }

  private void assertStored(ElementIndex source) throws Exception {
    ElementIds ids = IdsFile.read(folder.resolve("ids.mssf"));
    try (StoredModel stored = new StoredModel(folder)) {
      assertEquals(
          String.join("\n", StoredModel.image(source)),
          String.join("\n", StoredModel.image(stored.elements)));
      for (int i = 0; i < source.size(); i++) {
        assertEquals(i, ids.indexOf(stored.id(i)));
      }
    }
  }

  @Test
  void queriesFindWhatTheOracleFinds() throws Exception {
    ServerConfig config =
        new ServerConfig(
            "cdo",
            "h2",
            MODEL,
            folder.resolve("store"),
            folder.resolve("work"),
            "127.0.0.1",
            Map.of("tcp", 0),
            List.of(),
            Map.of());
    List<String> told = new ArrayList<>();
    new CdoServer().load(config, (done, total) -> told.add(done + " of " + total));
    assertEquals(List.of("0 of 13", "12 of 13", "13 of 13"), told);
    ElementIds ids = IdsFile.read(config.store().resolve("ids.mssf"));
    try (ToolServer.Running server = new CdoServer().serve(config);
        Driver driver = new CdoDriver();
        Driver.Session session =
            driver.open(
                TrainFixture.endpoint(server.endpoints().get("tcp")),
                TrainFixture.options(60_000, Map.of("signal_timeout_ms", 60_000)))) {
      for (String text :
          List.of(
              "orders::Order.allInstances()->select(o | o._'static' and o.value = 3)",
              "orders::Order.allInstances()->select(o | o._'package' = 'a.b' and o._'interface'"
                  + " and o._'finally'->includes('') and o._'limit' > 5 and o.colours->size() = 2)",
              "orders::Order.allInstances()"
                  + "->select(o | o._'order' <> null and o._'order'.name = 'loose')",
              "orders::Named.allInstances()->select(n | n.name = 'nobody')",
              "parts::Part.allInstances()"
                  + "->select(p | p.neededBy->exists(o | o.type = orders::Kind::SMALL))",
              "orders::payment::Line.allInstances()"
                  + "->select(l | l.part.oclIsTypeOf(parts::Screw))")) {
        Outcome outcome = session.execute(TrainFixture.ocl(text));
        assertEquals(Outcome.Kind.OK, outcome.kind(), () -> text + ": " + outcome.detail());
        long[] expected = Oracle.evaluate("" + MODEL, "ocl", text, new String[] {"element"});
        assertTrue(expected.length > 0, text);
        assertEquals(sorted(expected), sorted(indices(outcome, ids)), text);
      }
    }
  }

  private static long[] indices(Outcome outcome, ElementIds ids) {
    Ids.Longs found = (Ids.Longs) outcome.ids();
    long[] indices = new long[found.size()];
    for (int i = 0; i < indices.length; i++) {
      indices[i] = ids.indexOf(found.values()[i]);
    }
    return indices;
  }

  private static String sorted(long[] indices) {
    return java.util.Arrays.stream(indices)
        .sorted()
        .mapToObj(Long::toString)
        .collect(Collectors.joining(" "));
  }

  // what is made here, to be loaded or refused

  private final EPackage notes = newPackage("notes");

  private static EPackage newPackage(String name) {
    EPackage created = EcoreFactory.eINSTANCE.createEPackage();
    created.setName(name);
    created.setNsPrefix(name);
    created.setNsURI("http://modelstress.test/" + name);
    return created;
  }

  private static EClass newClass(EPackage owner, String name) {
    EClass created = EcoreFactory.eINSTANCE.createEClass();
    created.setName(name);
    owner.getEClassifiers().add(created);
    return created;
  }

  private static EAttribute attribute(EClass owner, String name, EDataType type, int upper) {
    EAttribute created = EcoreFactory.eINSTANCE.createEAttribute();
    created.setName(name);
    created.setEType(type);
    created.setUpperBound(upper);
    owner.getEStructuralFeatures().add(created);
    return created;
  }

  private static ModelSource source(List<EPackage> packages, EObject... roots) {
    EPackage.Registry registry = new EPackageRegistryImpl();
    packages.forEach(each -> registry.put(each.getNsURI(), each));
    new XMIResourceImpl(URI.createURI("made")).getContents().addAll(List.of(roots));
    return new ModelSource(List.of(roots), registry, List.of(), "hash");
  }

  @ParameterizedTest
  @ValueSource(ints = {Columns.ROOM, Columns.ROOM + 1, 200_000})
  void longTextsAreStoredWhole(int length) throws Exception {
    EDataType prose = EcoreFactory.eINSTANCE.createEDataType();
    prose.setName("Prose");
    prose.setInstanceClassName("java.lang.String");
    notes.getEClassifiers().add(prose);
    EClass note = newClass(notes, "Note");
    EAttribute text = attribute(note, "text", EcorePackage.Literals.ESTRING, 1);
    EAttribute many = attribute(note, "many", EcorePackage.Literals.ESTRING, -1);
    EAttribute own = attribute(note, "own", prose, 1);
    EObject element = EcoreUtil.create(note);
    String line = "日本語 and more 😀 ";
    String value = line.repeat(length / line.length() + 1).substring(0, length - 1) + "!";
    element.eSet(text, value);
    element.eSet(many, List.of("short", value));
    element.eSet(own, value);
    load(source(List.of(notes), element), Loader.BATCH);
    assertStored(new ElementIndex(element));
  }

  @Test
  void everyWordOfTheDatabaseCanBeAName() throws Exception {
    List<EObject> elements = new ArrayList<>();
    // of SQL, of H2 alone, and of neither
    for (String word :
        List.of(
            "order",
            "table",
            "select",
            "limit",
            "offset",
            "row",
            "rownum",
            "minus",
            "if",
            "top",
            "today",
            "window",
            "qualify",
            "interval",
            "values",
            "user",
            "id")) {
      EClass eClass = newClass(notes, word);
      EAttribute one = attribute(eClass, word, EcorePackage.Literals.ESTRING, 1);
      EAttribute many = attribute(eClass, word + "s", EcorePackage.Literals.EINT, -1);
      EObject element = EcoreUtil.create(eClass);
      element.eSet(one, "one");
      element.eSet(many, List.of(1, 2, 3));
      elements.add(element);
    }
    load(source(List.of(notes), elements.toArray(EObject[]::new)), Loader.BATCH);
    assertStored(new ElementIndex(elements));
  }

  @Test
  void whatTheTablesHaveNoPlaceForIsRefused() throws Exception {
    EPackage others = newPackage("others");
    EObject one = EcoreUtil.create(newClass(notes, "Note"));
    EObject two = EcoreUtil.create(newClass(others, "NOTE"));
    assertRefused("notes::Note and others::NOTE", source(List.of(notes, others), one, two));

    EClass twice = newClass(notes, "Twice");
    attribute(twice, "size", EcorePackage.Literals.EINT, 1);
    attribute(twice, "Size", EcorePackage.Literals.EINT, 1);
    assertRefused("Twice.size and Twice.Size", source(List.of(notes), EcoreUtil.create(twice)));

    EObject taken = EcoreUtil.create(newClass(notes, "Cdo_Objects"));
    assertRefused("notes::Cdo_Objects", source(List.of(notes), taken));
    EClass takes = newClass(notes, "Takes");
    attribute(takes, "cdo_id", EcorePackage.Literals.EINT, 1);
    assertRefused("Takes.cdo_id", source(List.of(notes), EcoreUtil.create(takes)));

    EClass mixed = newClass(notes, "Mixed");
    attribute(mixed, "parts", EcorePackage.Literals.EFEATURE_MAP_ENTRY, -1);
    assertRefused("Mixed.parts", source(List.of(notes), EcoreUtil.create(mixed)));
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(), left.toList());
    }
  }

  private void assertRefused(String part, ModelSource model) {
    ModelException e = assertThrows(ModelException.class, () -> load(model, Loader.BATCH));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }
}
