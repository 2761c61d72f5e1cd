package org.modelstress.topology.work;

import org.modelstress.topology.config.Topology;
import org.modelstress.topology.manager.DataObject;
import org.modelstress.topology.schema.ObjectType;

/** Attributes of a type by their names, for an application without generated interfaces. */
record Places(ObjectType type) {
  /** Those of a type; null where the topology has no such type: it has none of these objects. */
  static Places of(Topology topology, String name) {
    ObjectType type = topology.schema().type(name);
    return type == null ? null : new Places(type);
  }

  /**
   * The place of an attribute.
   *
   * @throws IllegalArgumentException where the topology has none of this name
   */
  int of(String attribute) {
    int place = type.place(attribute);
    if (place < 0) {
      throw new IllegalArgumentException("type " + type + " has no attribute " + attribute);
    }
    return place;
  }

  /** Reads all attributes, as an application that shows them would. */
  static int readAll(DataObject object) {
    int read = 0;
    for (int place = 0; place < object.type().attributes().size(); place++) {
      read += object.get(place) == null ? 0 : 1;
    }
    return read;
  }
}
