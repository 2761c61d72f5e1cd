package org.modelstress.postgresql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * A model in tables. Each class, abstract or not, has one with a row for each of its elements and
 * those of its subclasses: the element's index in containment order as key, and the single-valued
 * features that this class declares. Each many-valued feature has one of its own. Of two opposites
 * only one is stored.
 *
 * <p>Elements are sent as JSON into a temporary table; the server makes the others from it.
 */
final class RelationalModel {
  private static final int STEP = 10_000;

  /** Other tables have no capitals. */
  private static final String ALL = "pg_temp.\"ELEMENTS\"";

  private static final Map<Class<?>, String> TYPES =
      Map.of(
          boolean.class, "boolean",
          byte.class, "smallint",
          short.class, "smallint",
          int.class, "integer",
          long.class, "bigint",
          float.class, "real",
          double.class, "double precision");

  private final PGConnection connection;
  private final ElementIndex elements;
  private final Set<EClassifier> classes = new LinkedHashSet<>();
  private final List<String> tables = new ArrayList<>();
  private final List<String> constraints = new ArrayList<>();

  private RelationalModel(PGConnection connection, ElementIndex elements) {
    this.connection = connection;
    this.elements = elements;
  }

  /**
   * Fills an empty database.
   *
   * @throws SQLException where tables cannot hold the model, with a state of class 22, 42 or 54, or
   *     where the database fails
   */
  static void load(
      Connection connection,
      ModelSource source,
      ElementIndex elements,
      ToolServer.Progress progress)
      throws SQLException {
    RelationalModel model = new RelationalModel(connection.unwrap(PGConnection.class), elements);
    source.metamodels().keySet().stream()
        .sorted()
        .flatMap(uri -> source.metamodels().getEPackage(uri).getEClassifiers().stream())
        .filter(EClass.class::isInstance)
        .forEach(model.classes::add);
    for (EClassifier each : model.classes) {
      model.describe((EClass) each);
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TEMPORARY TABLE \"ELEMENTS\" (element bigint, content jsonb)");
      model.send(progress);
      for (String sql : model.tables) {
        statement.execute(sql);
      }
      for (String sql : model.constraints) {
        statement.execute(sql);
      }
      statement.execute("DROP TABLE " + ALL);
      statement.execute("VACUUM (FREEZE, ANALYZE)");
    }
    progress.at(elements.size(), elements.size());
  }

  private void describe(EClass type) throws SQLException {
    String table = name(type.getName());
    StringBuilder columns = new StringBuilder("element");
    for (EStructuralFeature feature : type.getEStructuralFeatures()) {
      String column = name(feature.getName());
      if (isStored(feature) && feature.isMany()) {
        describeMany(feature, name(type.getName() + "_" + feature.getName()));
      } else if (isStored(feature)) {
        columns.append(", (content->>").append(key(feature)).append(")::").append(type(feature));
        columns.append(" AS ").append(column);
        if (feature instanceof EReference) {
          constraints.add("CREATE INDEX ON " + table + " (" + column + ")");
          refer(table, column, feature.getEType());
        }
      }
    }
    for (EClass parent : type.getESuperTypes()) {
      refer(table, "element", parent);
    }
    tables.add(
        String.format(
            "CREATE TABLE %s AS SELECT %s FROM %s WHERE jsonb_exists(content, %s)",
            table, columns, ALL, key(type)));
    tables.add("ALTER TABLE " + table + " ADD PRIMARY KEY (element)");
  }

  private void describeMany(EStructuralFeature feature, String table) throws SQLException {
    tables.add(
        String.format(
            "CREATE TABLE %s AS SELECT element AS source, value::%s AS target, (place - 1)::integer"
                + " AS place FROM %s, jsonb_array_elements_text(content->%s) WITH ORDINALITY"
                + " AS each (value, place)",
            table, type(feature), ALL, key(feature)));
    refer(table, "source", feature.getEContainingClass());
    if (feature instanceof EReference) {
      constraints.add("CREATE INDEX ON " + table + " (source, target)");
      constraints.add("CREATE INDEX ON " + table + " (target, source)");
      refer(table, "target", feature.getEType());
    } else { // a text may be too long for an index
      constraints.add("CREATE INDEX ON " + table + " (source)");
    }
  }

  /**
   * Values of a column are keys of a class, unless it is one of Ecore's own: they have no table.
   */
  private void refer(String table, String column, EClassifier type) throws SQLException {
    if (classes.contains(type)) {
      constraints.add(
          String.format(
              "ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (element)",
              table, column, name(type.getName())));
    }
  }

  private String name(String word) throws SQLException {
    return connection.escapeIdentifier(word.toLowerCase(Locale.ROOT));
  }

  private String key(EObject described) throws SQLException {
    return "'" + connection.escapeLiteral(id(described)) + "'";
  }

  /** Under which an element's content has a feature, or says that it is of a class. */
  private static String id(EObject described) {
    return described instanceof EStructuralFeature feature
        ? feature.getName() + " " + feature.getEContainingClass().getName()
        : " " + ((EClass) described).getName();
  }

  private static String type(EStructuralFeature feature) {
    Class<?> java = feature.getEType().getInstanceClass();
    if (feature instanceof EReference) {
      return "bigint";
    }
    return java == null
        ? "text"
        : TYPES.getOrDefault(MethodType.methodType(java).unwrap().returnType(), "text");
  }

  /** Of two opposites the single-valued one is stored; of two alike the first by name. */
  private boolean isStored(EStructuralFeature feature) {
    if (feature.isDerived()
        || feature.isVolatile()
        || !classes.contains(feature.getEContainingClass())) {
      return false;
    }
    EReference opposite = feature instanceof EReference own ? own.getEOpposite() : null;
    if (opposite == null || opposite == feature) {
      return true;
    }
    return feature.isMany() == opposite.isMany()
        ? id(feature).compareTo(id(opposite)) < 0
        : opposite.isMany();
  }

  private void send(ToolServer.Progress progress) throws SQLException {
    ObjectMapper json = new ObjectMapper();
    CopyIn rows = connection.getCopyAPI().copyIn("COPY " + ALL + " FROM STDIN (FORMAT csv)");
    try {
      for (int index = 0; index < elements.size(); index++) {
        String content = json.writeValueAsString(content(elements.element(index)));
        String row = index + ",\"" + content.replace("\"", "\"\"") + "\"\n";
        byte[] bytes = row.getBytes(StandardCharsets.UTF_8);
        rows.writeToCopy(bytes, 0, bytes.length);
        if (index % STEP == 0) {
          progress.at(index, elements.size());
        }
      }
      rows.endCopy();
    } catch (JsonProcessingException | RuntimeException e) {
      // of data types of others, feature maps, links out of the model
      throw new SQLDataException("a value cannot be stored: " + e.getMessage(), "22000", e);
    }
  }

  private Map<String, Object> content(EObject element) {
    Map<String, Object> content = new HashMap<>();
    content.put(id(element.eClass()), true);
    element.eClass().getEAllSuperTypes().forEach(parent -> content.put(id(parent), true));
    for (EStructuralFeature feature : element.eClass().getEAllStructuralFeatures()) {
      if (isStored(feature)) {
        Object value = element.eGet(feature);
        content.put(
            id(feature),
            value instanceof List<?> all
                ? all.stream().map(each -> text(feature, each)).toList()
                : text(feature, value));
      }
    }
    return content;
  }

  private String text(EStructuralFeature feature, Object value) {
    return feature instanceof EAttribute attribute
        ? EcoreUtil.convertToString(attribute.getEAttributeType(), value)
        : value == null ? null : Long.toString(elements.indexOf((EObject) value));
  }
}
