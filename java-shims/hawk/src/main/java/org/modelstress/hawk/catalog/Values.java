package org.modelstress.hawk.catalog;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.emf.common.util.Enumerator;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EEnum;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.modelstress.hawk.graph.IndexType;

/** Attribute values as the graph stores them. */
public final class Values {
  private Values() {}

  /**
   * What the graph stores for a value: Boolean, Integer, Long, Double, String or an array of one of
   * these; an enumeration's literal by its name. Null for null.
   */
  public static Object stored(EAttribute attribute, Object value) {
    if (value == null) {
      return null;
    }
    EDataType type = attribute.getEAttributeType();
    if (attribute.isMany() && value instanceof List<?> list) {
      return array(list.stream().map(v -> one(type, v)).toList(), storedClass(type));
    }
    return one(type, value);
  }

  /**
   * What the graph stores for a computed value of a derived attribute.
   *
   * @throws IllegalArgumentException if the value is not of the declared type
   */
  public static Object stored(AttributeDeclaration declaration, Object value) {
    if (!declaration.many()) {
      return value == null ? null : one(declaration, value);
    }
    if (!(value instanceof Collection<?> values)) {
      throw new IllegalArgumentException("a collection is declared and " + value + " computed");
    }
    Stream<Object> each = values.stream().map(v -> one(declaration, v));
    List<Object> list = (declaration.unique() ? each.distinct() : each).toList();
    return array(
        list,
        switch (declaration.indexType()) {
          case TRUTH -> Boolean.class;
          case WHOLE -> Long.class;
          case REAL -> Double.class;
          case TEXT -> String.class;
        });
  }

  private static Object one(AttributeDeclaration declaration, Object value) {
    switch (declaration.indexType()) {
      case TRUTH:
        if (value instanceof Boolean) {
          return value;
        }
        break;
      case WHOLE:
        if (value instanceof Integer || value instanceof Long) {
          return declaration.many() ? (Object) ((Number) value).longValue() : value;
        }
        break;
      case REAL:
        if (value instanceof Number number) {
          return number.doubleValue();
        }
        break;
      case TEXT:
        if (value instanceof String) {
          return value;
        }
        break;
    }
    throw new IllegalArgumentException(
        declaration.valueType() + " is declared and " + value + " computed");
  }

  /** What an index over this attribute holds. */
  public static IndexType indexType(EAttribute attribute) {
    Class<?> stored = storedClass(attribute.getEAttributeType());
    if (stored == Boolean.class) {
      return IndexType.TRUTH;
    }
    if (stored == Integer.class || stored == Long.class) {
      return IndexType.WHOLE;
    }
    return stored == Double.class ? IndexType.REAL : IndexType.TEXT;
  }

  private static Class<?> storedClass(EDataType type) {
    Class<?> java = type.getInstanceClass();
    if (type instanceof EEnum || java == null) {
      return String.class;
    }
    if (java == boolean.class || java == Boolean.class) {
      return Boolean.class;
    }
    if (java == int.class
        || java == Integer.class
        || java == short.class
        || java == Short.class
        || java == byte.class
        || java == Byte.class) {
      return Integer.class;
    }
    if (java == long.class || java == Long.class) {
      return Long.class;
    }
    boolean real =
        java == double.class || java == Double.class || java == float.class || java == Float.class;
    return real ? Double.class : String.class;
  }

  private static Object one(EDataType type, Object value) {
    Class<?> stored = storedClass(type);
    if (stored == Boolean.class) {
      return value;
    }
    if (stored == Integer.class) {
      return ((Number) value).intValue();
    }
    if (stored == Long.class) {
      return ((Number) value).longValue();
    }
    if (stored == Double.class) {
      return ((Number) value).doubleValue();
    }
    if (value instanceof Enumerator literal) {
      return literal.getName();
    }
    return value instanceof String ? value : EcoreUtil.convertToString(type, value);
  }

  private static Object array(List<Object> values, Class<?> stored) {
    if (stored == Boolean.class) {
      boolean[] array = new boolean[values.size()];
      for (int i = 0; i < array.length; i++) {
        array[i] = (Boolean) values.get(i);
      }
      return array;
    }
    if (stored == Integer.class) {
      return values.stream().mapToInt(v -> (Integer) v).toArray();
    }
    if (stored == Long.class) {
      return values.stream().mapToLong(v -> (Long) v).toArray();
    }
    if (stored == Double.class) {
      return values.stream().mapToDouble(v -> (Double) v).toArray();
    }
    return values.toArray(new String[0]);
  }
}
