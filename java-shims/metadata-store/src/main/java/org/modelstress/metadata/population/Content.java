package org.modelstress.metadata.population;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.modelstress.harness.samples.Digest;
import org.modelstress.metadata.objects.Attribute;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ObjectType;
import org.modelstress.metadata.objects.ValueType;

/**
 * What the study's objects have in them: everything follows from the object's key and the number of
 * the version, so that whoever reads a version knows whether it is whole and right. Two attributes
 * are indexed; "medium-sized", which the report does not define, are 12 attributes here.
 */
public final class Content {
  /** Attribute with the key. */
  public static final String KEY = "key";

  /** Indexed text: one of {@link #STATIONS}, each with as many objects. */
  public static final String STATION = "station";

  /** Indexed number, evenly distributed from 0 to 1. */
  public static final String PEAK = "peak";

  /** How many different stations there are. */
  public static final int STATIONS = 100_000;

  private static final int TEXT = 32;
  private static final int FIXED = 3;
  private static final String[] NAMES = new String[STATIONS];

  private Content() {}

  /** Name of the type of so many attributes, as in {@code object-12}. */
  public static String type(int attributes) {
    return "object-" + attributes;
  }

  /** Whether objects of a type are the study's. */
  public static boolean isOf(ObjectType type) {
    return type.name().equals(type(type.attributes().size()));
  }

  /** Attributes of the type of so many of them, from 4 on. */
  public static List<Attribute> attributes(int count) {
    List<Attribute> attributes = new ArrayList<>();
    attributes.add(new Attribute(KEY, ValueType.INTEGER, false, null));
    attributes.add(new Attribute(STATION, ValueType.TEXT, true, null));
    attributes.add(new Attribute(PEAK, ValueType.DECIMAL, true, null));
    for (int i = FIXED; i < count; i++) {
      attributes.add(new Attribute("text-" + i, ValueType.TEXT, false, ""));
    }
    return attributes;
  }

  /** Values of a version of an object. */
  public static Map<String, Object> values(long key, int version, int count) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put(KEY, key);
    long seed = Digest.mix(key) ^ version;
    values.put(STATION, station((int) Long.remainderUnsigned(Digest.mix(seed ^ 1), STATIONS)));
    values.put(PEAK, peak(seed));
    for (int i = FIXED; i < count; i++) {
      values.put("text-" + i, text(seed, i));
    }
    return values;
  }

  /** Name of a station, of 32 characters. */
  public static String station(int number) {
    String name = NAMES[number];
    if (name == null) {
      name = String.format(Locale.ROOT, "station-%08d-%015d", number, Digest.mix(number) >>> 16);
      NAMES[number] = name;
    }
    return name;
  }

  private static double peak(long seed) {
    return (Digest.mix(seed ^ 2) >>> 11) * 0x1.0p-53;
  }

  private static String text(long seed, int place) {
    char[] text = new char[TEXT];
    long bits = 0;
    for (int i = 0; i < TEXT; i++) {
      if (i % 12 == 0) {
        bits = Digest.mix(seed + 31L * place + i);
      }
      text[i] = (char) ('a' + (bits & 31) % 26);
      bits >>>= 5;
    }
    return new String(text);
  }

  /** Values that a version has, without the key: those that an update gives. */
  public static Map<String, Object> changes(long key, int version, int count) {
    Map<String, Object> changes = values(key, version, count);
    changes.remove(KEY);
    return changes;
  }

  /**
   * Looks whether a version is what it must be.
   *
   * @return a sentence, or null where it is
   */
  public static String wrong(MetadataObject object) throws MetadataException {
    long key = (Long) object.value(KEY);
    Map<String, Object> expected = values(key, object.version(), object.values().length);
    Map<String, Object> found = object.byName();
    if (found.equals(expected)) {
      return null;
    }
    String which =
        expected.keySet().stream()
            .filter(name -> !expected.get(name).equals(found.get(name)))
            .findFirst()
            .orElse("the number of its values");
    return "version "
        + object.version()
        + " of object "
        + object.id()
        + " is not what was written: "
        + which;
  }
}
