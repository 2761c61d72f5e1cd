package org.modelstress.mogwai.gremlin;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EEnum;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.eclipse.ocl.expressions.CollectionKind;
import org.eclipse.ocl.util.CollectionUtil;
import org.modelstress.mogwai.store.Schema;
import org.neo4j.graphdb.Node;

/** Reads an attribute, of which the graph has the text only. */
final class Attribute {
  private final String name;
  private final EDataType type;
  private final Object unset;
  private final boolean whole;

  /** Literals of an enumeration, by their text; null for other types. */
  private final Map<String, Object> literals;

  Attribute(EAttribute attribute) {
    this.name = attribute.getName();
    this.type = attribute.getEAttributeType();
    this.unset = attribute.isMany() ? null : attribute.getDefaultValue();
    Class<?> java = type.getInstanceClass();
    this.whole = java == int.class || java == Integer.class;
    this.literals = type instanceof EEnum ? new ConcurrentHashMap<>() : null;
  }

  /** Whether the value is never null, and of a type whose values can all be compared. */
  boolean isPresent() {
    return unset != null && (type instanceof EEnum || type.getInstanceClass().isPrimitive());
  }

  /** The value of a single-valued attribute; its default value if it is unset. */
  Object value(Node element) {
    String text = text(element, name);
    return text == null ? unset : parse(text);
  }

  /** The values of a many-valued attribute. */
  Object values(Node element, CollectionKind kind) {
    Collection<Object> values = CollectionUtil.createNewCollection(kind);
    Object size = read(element, Schema.size(name));
    for (int i = 0; size != null && i < (Integer) size; i++) {
      String text = text(element, Schema.value(name, i));
      values.add(text == null ? null : parse(text));
    }
    return values;
  }

  private static String text(Node element, String property) {
    Object value = read(element, property);
    return value == null ? null : value.toString();
  }

  private static Object read(Node element, String property) {
    try {
      return element.getProperty(property, null);
    } catch (RuntimeException e) {
      throw new Signal.Store(e);
    }
  }

  private Object parse(String text) {
    try {
      if (whole) {
        return Integer.valueOf(text);
      }
      if (literals != null) {
        return literals.computeIfAbsent(text, t -> EcoreUtil.createFromString(type, t));
      }
      return EcoreUtil.createFromString(type, text);
    } catch (RuntimeException e) {
      throw new Signal.Store("the attribute " + name + " has the value " + text);
    }
  }
}
