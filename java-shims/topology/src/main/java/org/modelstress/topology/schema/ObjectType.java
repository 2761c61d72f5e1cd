package org.modelstress.topology.schema;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A type of data objects: a table in every store that has some of them. */
public final class ObjectType {
  private final String name;
  private final int code;
  private final List<Attribute> attributes;
  private final Map<String, Integer> places = new HashMap<>();

  /**
   * Makes a type.
   *
   * @param name of the type, and of its table
   * @param code by which messages name it
   * @param attributes in their order; names differ
   */
  public ObjectType(String name, int code, List<Attribute> attributes) {
    this.name = name;
    this.code = code;
    this.attributes = List.copyOf(attributes);
    for (int i = 0; i < attributes.size(); i++) {
      places.put(attributes.get(i).name(), i);
    }
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** By which messages name it. */
  public int code() {
    return code;
  }

  /** In their order. */
  public List<Attribute> attributes() {
    return attributes;
  }

  /** The attribute at a place. */
  public Attribute attribute(int place) {
    return attributes.get(place);
  }

  /** The place of an attribute; -1 where the type has none of this name. */
  public int place(String attribute) {
    return places.getOrDefault(attribute, -1);
  }

  /** Bit set of the places of all attributes. */
  public long places() {
    return attributes.size() == Long.SIZE ? -1L : (1L << attributes.size()) - 1;
  }

  @Override
  public String toString() {
    return name;
  }
}
