package org.modelstress.metadata.objects;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A type of metadata objects, which is a metadata object itself, of type {@link #TYPE}. */
public final class ObjectType {
  /** Identifier of the type of types. */
  public static final long TYPE_ID = 1;

  /** The type of types: a name, and attributes as {@link TypeDefinition} writes them. */
  public static final ObjectType TYPE =
      new ObjectType(
          TYPE_ID,
          1,
          "type",
          List.of(
              new Attribute("name", ValueType.TEXT, true, null),
              new Attribute("attributes", ValueType.TEXT, false, null)));

  private final long id;
  private final int version;
  private final String name;
  private final List<Attribute> attributes;
  private final Map<String, Integer> places = new HashMap<>();
  private final int indexed;

  /**
   * A type.
   *
   * @param id of the object that it is
   * @param version of that object
   */
  public ObjectType(long id, int version, String name, List<Attribute> attributes) {
    this.id = id;
    this.version = version;
    this.name = name;
    this.attributes = List.copyOf(attributes);
    for (int place = 0; place < attributes.size(); place++) {
      places.put(attributes.get(place).name(), place);
    }
    this.indexed = (int) attributes.stream().filter(Attribute::indexed).count();
  }

  public long id() {
    return id;
  }

  public int version() {
    return version;
  }

  public String name() {
    return name;
  }

  /** All attributes, in the order of their places. */
  public List<Attribute> attributes() {
    return attributes;
  }

  /** How many attributes are indexed. */
  public int indexed() {
    return indexed;
  }

  /**
   * Place of an attribute.
   *
   * @throws MetadataException INVALID where there is none of the name
   */
  public int place(String attribute) throws MetadataException {
    Integer place = places.get(attribute);
    if (place == null) {
      throw MetadataException.invalid(
          "type " + name + " has no attribute '" + Limits.shortened(attribute) + "'");
    }
    return place;
  }

  /**
   * Copies the type selectively: an object's values are what was given, and else the type's.
   *
   * @param given values by names of attributes
   * @return values by places
   * @throws MetadataException INVALID where one is missing, unknown or of another type
   */
  public Object[] copied(Map<String, Object> given) throws MetadataException {
    Object[] values = new Object[attributes.size()];
    for (int place = 0; place < values.length; place++) {
      values[place] = attributes.get(place).fallback();
    }
    change(values, given);
    for (int place = 0; place < values.length; place++) {
      attributes.get(place).checked(values[place]);
    }
    return values;
  }

  /**
   * Values of the next version of an object.
   *
   * @throws MetadataException INVALID where one is unknown or of another type
   */
  public Object[] changed(Object[] values, Map<String, Object> changes) throws MetadataException {
    Object[] next = values.clone();
    change(next, changes);
    return next;
  }

  private void change(Object[] values, Map<String, Object> given) throws MetadataException {
    for (Map.Entry<String, Object> each : given.entrySet()) {
      int place = place(each.getKey());
      values[place] = attributes.get(place).checked(each.getValue());
    }
  }
}
