package org.modelstress.postgresql;

import java.lang.invoke.MethodType;
import java.sql.Connection;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.ENamedElement;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.modelstress.harness.server.ToolServer;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelSource;

/**
 * A model in tables. Each class, abstract or not, has one with a row for each of its elements and
 * those of its subclasses: the element's key, and the single-valued features that this class
 * declares. Each many-valued feature has one of its own. Of two opposites only one is stored.
 */
final class RelationalModel {
  /** The column with an element's index in containment order, its primary key. */
  static final String KEY = "element";

  private static final String SOURCE = "source";
  private static final String TARGET = "target";
  private static final String PLACE = "place";
  private static final int STEP = 10_000;
  private static final Map<Class<?>, String> TYPES =
      Map.of(
          boolean.class, "boolean",
          byte.class, "smallint",
          short.class, "smallint",
          int.class, "integer",
          long.class, "bigint",
          float.class, "real",
          double.class, "double precision");

  private final Connection connection;
  private final ElementIndex elements;

  /** Tables of classes, and of features that are many-valued. */
  private final Map<ENamedElement, Table> tables = new LinkedHashMap<>();

  private RelationalModel(Connection connection, ElementIndex elements) {
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
    RelationalModel model = new RelationalModel(connection, elements);
    List<EClass> classes = classes(source);
    for (EClass each : classes) {
      model.tables.put(each, new Table(connection, each.getName()));
    }
    for (EClass each : classes) {
      model.describe(each);
    }
    for (Table table : model.tables.values()) {
      table.create();
    }
    for (int index = 0; index < elements.size(); index++) {
      model.put(index, elements.element(index));
      if (index % STEP == 0) {
        progress.at(index, elements.size());
      }
    }
    for (Table table : model.tables.values()) {
      table.send();
    }
    for (Table table : model.tables.values()) {
      table.constrain();
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("VACUUM (FREEZE, ANALYZE)");
    }
    progress.at(elements.size(), elements.size());
  }

  private static List<EClass> classes(ModelSource source) {
    List<EClass> classes = new ArrayList<>();
    for (String uri : source.metamodels().keySet().stream().sorted().toList()) {
      for (EClassifier each : source.metamodels().getEPackage(uri).getEClassifiers()) {
        if (each instanceof EClass eClass) {
          classes.add(eClass);
        }
      }
    }
    return classes;
  }

  private void describe(EClass eClass) throws SQLException {
    Table table = tables.get(eClass).column(KEY, "bigint PRIMARY KEY");
    for (EClass parent : eClass.getESuperTypes()) {
      reference(table, KEY, parent);
    }
    for (EStructuralFeature feature : eClass.getEStructuralFeatures()) {
      if (!isStored(feature)) {
        continue;
      }
      if (!feature.isMany()) {
        table.column(feature.getName(), type(feature));
        if (feature instanceof EReference) {
          table.index(feature.getName());
          reference(table, feature.getName(), feature.getEType());
        }
      } else {
        tables.put(feature, link(eClass, feature));
      }
    }
  }

  private Table link(EClass eClass, EStructuralFeature feature) throws SQLException {
    Table table =
        new Table(connection, eClass.getName() + "_" + feature.getName())
            .column(SOURCE, "bigint NOT NULL")
            .column(TARGET, type(feature))
            .column(PLACE, "integer NOT NULL");
    reference(table, SOURCE, eClass);
    if (feature instanceof EReference) {
      reference(table, TARGET, feature.getEType());
      return table.index(SOURCE, TARGET).index(TARGET, SOURCE);
    }
    return table.index(SOURCE);
  }

  private void reference(Table table, String column, EClassifier target) throws SQLException {
    if (tables.containsKey(target)) { // it may be of Ecore itself
      table.references(column, tables.get(target), KEY);
    }
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
  private static boolean isStored(EStructuralFeature feature) {
    if (feature.isDerived() || feature.isVolatile()) {
      return false;
    }
    EReference opposite = feature instanceof EReference own ? own.getEOpposite() : null;
    if (opposite == null || opposite == feature) {
      return true;
    }
    return feature.isMany() == opposite.isMany()
        ? name(feature).compareTo(name(opposite)) < 0
        : opposite.isMany();
  }

  private static String name(EStructuralFeature feature) {
    return feature.getName() + " " + feature.getEContainingClass().getName();
  }

  private void put(long key, EObject element) throws SQLException {
    putRow(key, element, element.eClass());
    for (EClass parent : element.eClass().getEAllSuperTypes()) {
      putRow(key, element, parent);
    }
    for (EStructuralFeature feature : element.eClass().getEAllStructuralFeatures()) {
      if (feature.isMany() && tables.containsKey(feature)) {
        int place = 0;
        for (Object value : (List<?>) element.eGet(feature)) {
          tables
              .get(feature)
              .put(List.of(Long.toString(key), text(feature, value), Integer.toString(place++)));
        }
      }
    }
  }

  private void putRow(long key, EObject element, EClass eClass) throws SQLException {
    if (!tables.containsKey(eClass)) {
      return; // of Ecore itself
    }
    List<String> row = new ArrayList<>(List.of(Long.toString(key)));
    for (EStructuralFeature feature : eClass.getEStructuralFeatures()) {
      if (!feature.isMany() && isStored(feature)) {
        Object value = element.eGet(feature);
        row.add(value == null ? null : text(feature, value));
      }
    }
    tables.get(eClass).put(row);
  }

  private String text(EStructuralFeature feature, Object value) throws SQLException {
    try {
      return feature instanceof EAttribute attribute
          ? EcoreUtil.convertToString(attribute.getEAttributeType(), value)
          : Long.toString(elements.indexOf((EObject) value));
    } catch (RuntimeException e) { // of data types of others, feature maps, links out of the model
      throw new SQLDataException(
          name(feature) + " has a value that cannot be stored: " + e.getMessage(), "22000", e);
    }
  }
}
