package org.modelstress.cdo;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EEnum;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.emf.ecore.util.FeatureMapUtil;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelException;

/**
 * What a model needs of CDO's tables, one per class, and their columns, one per feature: names that
 * differ, and room for the longest texts.
 */
final class Columns {
  /** Characters in CDO's columns for text, unless the metamodel asks for more. */
  static final int ROOM = 32_672;

  /** Where CDO's database store looks for wishes in a metamodel. */
  private static final String WISHES = "http://www.eclipse.org/CDO/DBStore";

  /** What the names of CDO's own tables and columns begin with. */
  private static final String OWN = "CDO_";

  private Columns() {}

  /**
   * Checks the classes of a model's elements.
   *
   * @throws ModelException if CDO has no place for a feature, or cannot tell two names apart
   */
  static void check(ElementIndex elements) throws ModelException {
    Set<EClass> classes = new LinkedHashSet<>();
    for (int i = 0; i < elements.size(); i++) {
      classes.add(elements.element(i).eClass());
    }
    Map<String, EClass> tables = new HashMap<>();
    for (EClass eClass : classes) {
      EClass other = tables.putIfAbsent(sql(eClass.getName()), eClass);
      if (other != null) {
        throw new ModelException(
            "Classes "
                + name(other)
                + " and "
                + name(eClass)
                + " would share a table, because CDO names tables by the class alone and the"
                + " database does not tell upper case from lower; rename one.");
      }
      checkFree(eClass.getName(), "Class " + name(eClass));
      check(eClass);
    }
  }

  private static void checkFree(String name, String described) throws ModelException {
    if (sql(name).startsWith(OWN)) {
      throw new ModelException(
          described
              + " has a name like those of CDO's own tables and columns, which begin with "
              + OWN
              + "; rename it.");
    }
  }

  private static void check(EClass eClass) throws ModelException {
    Map<String, EStructuralFeature> columns = new HashMap<>();
    for (EStructuralFeature feature : eClass.getEAllStructuralFeatures()) {
      if (FeatureMapUtil.isFeatureMap(feature)) {
        throw new ModelException(
            "Feature "
                + name(feature)
                + " is a feature map, which this loader does not copy into CDO; make it ordinary"
                + " references.");
      }
      if (feature.isDerived() || feature.isTransient()) {
        continue;
      }
      checkFree(feature.getName(), "Feature " + name(feature));
      EStructuralFeature other = columns.putIfAbsent(sql(feature.getName()), feature);
      if (other != null) {
        throw new ModelException(
            "Features "
                + name(other)
                + " and "
                + name(feature)
                + " would share a column of class "
                + eClass.getName()
                + ", because the database does not tell upper case from lower; rename one.");
      }
    }
  }

  private static String sql(String name) {
    return name.toUpperCase(Locale.ROOT);
  }

  private static String name(EClass eClass) {
    return eClass.getEPackage().getName() + "::" + eClass.getName();
  }

  private static String name(EStructuralFeature feature) {
    return feature.getEContainingClass().getName() + "." + feature.getName();
  }

  /** Asks CDO for longer columns where the model has texts beyond {@link #ROOM}. */
  static void makeRoom(ElementIndex elements, MetamodelCopy metamodel) {
    Map<EClass, List<EAttribute>> texts = new IdentityHashMap<>();
    Map<EAttribute, Integer> longest = new HashMap<>();
    for (int i = 0; i < elements.size(); i++) {
      EObject element = elements.element(i);
      for (EAttribute attribute : texts.computeIfAbsent(element.eClass(), Columns::texts)) {
        if (element.eIsSet(attribute)) {
          longest.merge(attribute, length(attribute, element.eGet(attribute)), Math::max);
        }
      }
    }
    longest.forEach(
        (attribute, length) -> {
          if (length > ROOM) {
            EcoreUtil.setAnnotation(
                metamodel.feature(attribute), WISHES, "columnLength", length.toString());
          }
        });
  }

  /** The attributes that CDO stores as text: strings, and all types that it does not know. */
  private static List<EAttribute> texts(EClass eClass) {
    List<EAttribute> texts = new ArrayList<>();
    for (EAttribute attribute : eClass.getEAllAttributes()) {
      var type = attribute.getEAttributeType();
      boolean known = type.getEPackage() == EcorePackage.eINSTANCE || type instanceof EEnum;
      if (MetamodelCopy.isCopied(attribute) && (!known || type == EcorePackage.Literals.ESTRING)) {
        texts.add(attribute);
      }
    }
    return texts;
  }

  private static int length(EAttribute attribute, Object value) {
    if (value instanceof List<?> list) {
      return list.stream().mapToInt(each -> length(attribute, each)).max().orElse(0);
    }
    if (value instanceof String text) {
      return text.length();
    }
    String text = EcoreUtil.convertToString(attribute.getEAttributeType(), value);
    return text == null ? 0 : text.length();
  }
}
