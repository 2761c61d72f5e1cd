package org.modelstress.topology.schema;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** All types of data objects, by name and by code. */
public final class Schema {
  private final Map<String, ObjectType> byName = new LinkedHashMap<>();
  private final Map<Integer, ObjectType> byCode = new LinkedHashMap<>();

  /** Makes a schema of types whose names and codes differ. */
  public Schema(Collection<ObjectType> types) {
    for (ObjectType type : types) {
      byName.put(type.name(), type);
      byCode.put(type.code(), type);
    }
  }

  /** In the order of the configuration. */
  public Collection<ObjectType> types() {
    return byName.values();
  }

  /** The type of a name; null where there is none. */
  public ObjectType type(String name) {
    return byName.get(name);
  }

  /**
   * The type of a code that came over the wire.
   *
   * @throws IllegalArgumentException where there is none
   */
  public ObjectType type(int code) {
    ObjectType type = byCode.get(code);
    if (type == null) {
      throw new IllegalArgumentException("there is no type with code " + code);
    }
    return type;
  }
}
