package org.modelstress.postgresql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.modelstress.databases.Database;
import org.modelstress.databases.DatabaseServer;
import org.modelstress.harness.server.ServerException;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelFiles;
import org.modelstress.models.ModelImport;
import org.modelstress.models.ModelSource;
import org.modelstress.models.train.Line;
import org.modelstress.models.train.Scenario;
import org.modelstress.models.train.TrainGenerator;

/** Tables hold what the model has, in a real PostgreSQL. */
@Timeout(120)
class RelationalModelTest {
  @TempDir private static Path running;
  private static DatabaseServer server;

  @BeforeAll
  static void start() throws Exception {
    Database database = Database.of("postgresql");
    database.prepare(running, null);
    database.create(running.resolve("data"), "model");
    server = database.start(running.resolve("data"), "127.0.0.1", 0, "model");
  }

  @AfterAll
  static void end() {
    server.close();
  }

  /** A model in tables that are new, with the elements that it should have. */
  private static ElementIndex loaded(Path model) throws Exception {
    for (List<String> table :
        rows("SELECT format('%I', tablename) FROM pg_tables WHERE schemaname = 'public'")) {
      try (Connection connection = DriverManager.getConnection(server.jdbc());
          Statement statement = connection.createStatement()) {
        statement.execute("DROP TABLE " + table.get(0) + " CASCADE");
      }
    }
    ModelSource source = ModelSource.read(model);
    ElementIndex elements = new ElementIndex(source.roots());
    try (Connection connection = DriverManager.getConnection(server.jdbc())) {
      RelationalModel.load(connection, source, elements, (done, total) -> {});
    }
    return elements;
  }

  private static List<List<String>> rows(String sql) throws SQLException {
    return Served.rows(server.jdbc(), sql);
  }

  private static final Path OWN = Path.of("../example/src/test/model/model.json");
  private static final Comparator<List<String>> ORDER = Comparator.comparing(List::toString);

  @TempDir private Path folder;

  private Path train() throws Exception {
    Path file = folder.resolve("train.bin");
    ModelFiles.save(
        TrainGenerator.generate(Line.LINE_2016, Scenario.REPAIR, 1, TrainGenerator.DEFAULT_SEED),
        file);
    return file;
  }

  @Test
  void theTrainModelIsInItsTables() throws Exception {
    ElementIndex elements = loaded(train());
    compare(elements, "Route", "active", "entry", "exit");
    compare(elements, "Segment", "length");
    compare(elements, "Switch", "currentPosition");
    compare(elements, "SwitchPosition", "position", "route", "target");
    compare(elements, "Semaphore", "signal");
    compare(elements, "RailwayElement", "id");
    compare(elements, "TrackElement");
    compareMany(elements, "TrackElement", "connectsTo");
    compareMany(elements, "TrackElement", "monitoredBy");
    compareMany(elements, "Route", "requires");
    compareMany(elements, "Segment", "semaphores");
    compareMany(elements, "Region", "sensors");
    assertEquals(
        List.of(
            "railwaycontainer_regions",
            "railwaycontainer_routes",
            "region_elements",
            "region_sensors",
            "route_requires",
            "segment_semaphores",
            "trackelement_connectsto",
            "trackelement_monitoredby"),
        rows(
                "SELECT tablename FROM pg_tables WHERE tablename LIKE '%!_%' ESCAPE '!'"
                    + " AND schemaname = 'public' ORDER BY 1")
            .stream()
            .map(row -> row.get(0))
            .toList(),
        "of opposites only one is stored");
  }

  @Test
  void aModelOfAnyMetamodelIsInItsTables() throws Exception {
    ElementIndex elements = loaded(OWN);
    compare(elements, "Named", "name");
    compare(
        elements,
        "Order",
        "default",
        "static",
        "package",
        "interface",
        "value",
        "type",
        "order",
        "limit",
        "window",
        "weight",
        "count",
        "next");
    for (String feature : List.of("finally", "row", "colours", "kinds", "related")) {
      compareMany(elements, "Order", feature);
    }
    compareMany(elements, "Part", "neededBy");
    compare(elements, "Line", "invoice", "part");
  }

  @Test
  void namesAreNeverStatements() throws Exception {
    loaded(imported("a\"; DROP TABLE x; --", "b'; DROP"));
    assertEquals(
        List.of(List.of("a\"; drop table x; --"), List.of("first"), List.of("second")),
        rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"));
    assertEquals(List.of(List.of("0", "v,\"\\N")), rows("SELECT * FROM first"));
  }

  @Test
  void classesThatTablesCannotTellApartAreRefused() throws Exception {
    Path model = imported("FIRST", "name");
    ServerException e = assertThrows(ServerException.class, () -> Served.load(model, folder));
    assertEquals(ServerException.Exit.MODEL, e.exit());
    assertTrue(e.getMessage().contains("already exists"), e.getMessage());
    assertFalse(e.getMessage().contains("\n"), e.getMessage());
    assertTrue(Files.notExists(folder.resolve("store/store.json")));
  }

  @Test
  void featuresThatColumnsCannotTellApartAreRefused() throws Exception {
    Path model = imported("More", "ELEMENT");
    SQLException e = assertThrows(SQLException.class, () -> loaded(model));
    assertEquals("42701", e.getSQLState());
  }

  /** A model of three classes, whose first one has one element. */
  private Path imported(String name, String feature) throws Exception {
    Path metamodel = folder.resolve("odd.ecore");
    Files.writeString(
        metamodel,
        String.format(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <ecore:EPackage xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI"
                xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                xmlns:ecore="http://www.eclipse.org/emf/2002/Ecore"
                name="odd" nsURI="urn:modelstress:odd" nsPrefix="odd">
              <eClassifiers xsi:type="ecore:EClass" name="First">
                <eStructuralFeatures xsi:type="ecore:EAttribute" name="text"
                    eType="ecore:EDataType http://www.eclipse.org/emf/2002/Ecore#//EString"/>
              </eClassifiers>
              <eClassifiers xsi:type="ecore:EClass" name="%s">
                <eStructuralFeatures xsi:type="ecore:EAttribute" name="%s"
                    eType="ecore:EDataType http://www.eclipse.org/emf/2002/Ecore#//EString"/>
              </eClassifiers>
              <eClassifiers xsi:type="ecore:EClass" name="Second"/>
            </ecore:EPackage>
            """,
            name.replace("\"", "&quot;"), feature));
    Path file = folder.resolve("odd.xmi");
    Files.writeString(
        file,
        "<odd:First xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\""
            + " xmlns:odd=\"urn:modelstress:odd\" text=\"v,&quot;\\N\"/>");
    return ModelImport.run(List.of(metamodel), List.of(file), folder.resolve("odd"));
  }

  private static void compare(ElementIndex elements, String type, String... features)
      throws Exception {
    List<List<String>> expected = new ArrayList<>();
    for (int i = 0; i < elements.size(); i++) {
      EObject element = elements.element(i);
      if (!is(element, type)) {
        continue;
      }
      List<String> row = new ArrayList<>(List.of(Integer.toString(i)));
      for (String name : features) {
        EStructuralFeature feature = element.eClass().getEStructuralFeature(name);
        row.add(text(elements, feature, element.eGet(feature)));
      }
      expected.add(row);
    }
    assertTrue(!expected.isEmpty(), type);
    String columns = String.join("", Arrays.stream(features).map(f -> ", " + column(f)).toList());
    List<List<String>> found =
        rows("SELECT element" + columns + " FROM \"" + type.toLowerCase(Locale.ROOT) + "\"");
    assertEquals(
        expected,
        found.stream().sorted(Comparator.comparing(r -> Long.valueOf(r.get(0)))).toList());
  }

  private static void compareMany(ElementIndex elements, String type, String name)
      throws Exception {
    List<List<String>> expected = new ArrayList<>();
    for (int i = 0; i < elements.size(); i++) {
      EObject element = elements.element(i);
      if (is(element, type)) {
        EStructuralFeature feature = element.eClass().getEStructuralFeature(name);
        int place = 0;
        for (Object value : (List<?>) element.eGet(feature)) {
          expected.add(
              List.of(
                  Integer.toString(i), text(elements, feature, value), Integer.toString(place++)));
        }
      }
    }
    assertTrue(!expected.isEmpty(), name);
    String table = (type + "_" + name).toLowerCase(Locale.ROOT);
    assertEquals(
        expected.stream().sorted(ORDER).toList(),
        rows("SELECT source, target, place FROM " + table).stream().sorted(ORDER).toList());
  }

  private static boolean is(EObject element, String type) {
    EClass own = element.eClass();
    return own.getName().equals(type)
        || own.getEAllSuperTypes().stream().anyMatch(parent -> parent.getName().equals(type));
  }

  /** Booleans and numbers as the client shows them; everything else as EMF writes it. */
  private static String text(ElementIndex elements, EStructuralFeature feature, Object value) {
    if (value == null) {
      return null;
    }
    if (value instanceof Boolean bool) {
      return bool ? "t" : "f";
    }
    if (value instanceof Double number) {
      return new BigDecimal(number.toString()).stripTrailingZeros().toPlainString();
    }
    return feature instanceof EAttribute attribute
        ? EcoreUtil.convertToString(attribute.getEAttributeType(), value)
        : Long.toString(elements.indexOf((EObject) value));
  }

  private static String column(String feature) {
    return "\"" + feature.toLowerCase(Locale.ROOT) + "\"";
  }
}
