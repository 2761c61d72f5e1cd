package org.modelstress.models;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EEnum;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.util.ExtendedMetaData;

/**
 * The Java classes that values of data types may be of. EMF makes a value by the class's own
 * constructor or {@code valueOf}, whatever that does, and a metamodel may name any class.
 */
final class DataTypes {
  /** Making one of these from a text does nothing else. */
  private static final Set<String> CLASSES =
      Set.of(
          "boolean",
          "byte",
          "char",
          "double",
          "float",
          "int",
          "long",
          "short",
          "byte[]",
          "java.lang.Boolean",
          "java.lang.Byte",
          "java.lang.Character",
          "java.lang.Double",
          "java.lang.Float",
          "java.lang.Integer",
          "java.lang.Long",
          "java.lang.Object",
          "java.lang.Short",
          "java.lang.String",
          "java.math.BigDecimal",
          "java.math.BigInteger",
          "java.util.Date",
          "javax.xml.datatype.Duration",
          "javax.xml.datatype.XMLGregorianCalendar",
          "javax.xml.namespace.QName",
          "org.eclipse.emf.common.util.Enumerator",
          "org.eclipse.emf.ecore.util.FeatureMap$Entry");

  private DataTypes() {}

  /** What is wrong with a data type, after "has"; null if nothing. */
  static String problem(EDataType type) {
    if (!isHarmless(type)) {
      return refusal(type);
    }
    return type.eIsSet(EcorePackage.Literals.EMODEL_ELEMENT__EANNOTATIONS)
        ? problem(type, new HashSet<>(Set.of(type)))
        : null;
  }

  /** Annotations can say that values are made as those of other types, Ecore's own among them. */
  private static String problem(EDataType type, Set<EDataType> known) {
    List<EDataType> others = new ArrayList<>(ExtendedMetaData.INSTANCE.getMemberTypes(type));
    others.add(ExtendedMetaData.INSTANCE.getBaseType(type));
    others.add(ExtendedMetaData.INSTANCE.getItemType(type));
    for (EDataType other : others) {
      if (other != null && known.add(other)) {
        String problem = isHarmless(other) ? problem(other, known) : refusal(other);
        if (problem != null) {
          return problem;
        }
      }
    }
    return null;
  }

  private static boolean isHarmless(EDataType type) {
    // an enumeration's values are its literals, and a type without class has none
    String name = type.getInstanceClassName();
    return name == null ? type.getInstanceTypeName() == null : CLASSES.contains(name);
  }

  private static String refusal(EDataType type) {
    return "has a data type that is a class of Java other than a text, number, date or the like, "
        + type.getName()
        + " ("
        + (type.getInstanceTypeName() == null
            ? type.getInstanceClassName()
            : type.getInstanceTypeName())
        + "); "
        + (type instanceof EEnum
            ? "remove its instanceClassName"
            : "make it java.lang.String or one of Ecore's own");
  }

  /** The same for the type of a feature. */
  static String problem(EStructuralFeature feature) {
    return feature.getEType() instanceof EDataType type && !type.eIsProxy() ? problem(type) : null;
  }
}
