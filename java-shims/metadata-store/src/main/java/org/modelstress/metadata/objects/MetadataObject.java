package org.modelstress.metadata.objects;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One version of an object; it never changes.
 *
 * @param id of the object
 * @param version from 1, without gaps
 * @param type it is of, in the version that it had when this was made
 * @param values by places of the type's attributes; not to be written to
 */
public record MetadataObject(long id, int version, ObjectType type, Object[] values) {
  /** The value of an attribute. */
  public Object value(String attribute) throws MetadataException {
    return values[type.place(attribute)];
  }

  /** All values by names of attributes, in the order of their places. */
  public Map<String, Object> byName() {
    Map<String, Object> named = new LinkedHashMap<>();
    List<Attribute> attributes = type.attributes();
    for (int place = 0; place < values.length; place++) {
      named.put(attributes.get(place).name(), values[place]);
    }
    return named;
  }
}
