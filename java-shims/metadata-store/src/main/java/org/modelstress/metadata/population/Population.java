package org.modelstress.metadata.population;

import java.util.List;
import java.util.Map;
import org.modelstress.metadata.objects.Attribute;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ValueType;

/**
 * The objects that a store was loaded with. The store has an object that says which: clients find
 * it as any other.
 *
 * @param first identifier of the first
 * @param count how many there are, identifiers in a row; keys are 0, 1, 2 …
 * @param attributes of each
 */
public record Population(long first, long count, int attributes) {
  /** Type of the object that describes a population. */
  public static final String TYPE = "population";

  private static final String FIRST = "first";
  private static final String COUNT = "count";
  private static final String ATTRIBUTES = "attributes";

  /** Attributes of that type. */
  static List<Attribute> definition() {
    return List.of(
        new Attribute(FIRST, ValueType.INTEGER, false, null),
        new Attribute(COUNT, ValueType.INTEGER, false, null),
        new Attribute(ATTRIBUTES, ValueType.INTEGER, false, null));
  }

  /** Values of the object. */
  Map<String, Object> values() {
    return Map.of(FIRST, first, COUNT, count, ATTRIBUTES, (long) attributes);
  }

  /** The population that an object describes. */
  public static Population of(MetadataObject object) throws MetadataException {
    return new Population(
        (Long) object.value(FIRST),
        (Long) object.value(COUNT),
        Math.toIntExact((Long) object.value(ATTRIBUTES)));
  }
}
