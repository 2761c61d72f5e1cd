package org.modelstress.thrift.results;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.modelstress.hawk.api.SlotValue;

/** Attribute values as Thrift's. */
public final class SlotValues {
  private SlotValues() {}

  /** A value: Boolean, Integer, Long, Double, an array of these or of text; the rest as text. */
  public static SlotValue of(Object value) {
    if (value instanceof Boolean b) {
      return SlotValue.vBoolean(b);
    } else if (value instanceof Integer i) {
      return SlotValue.vInteger(i);
    } else if (value instanceof Long l) {
      return SlotValue.vLong(l);
    } else if (value instanceof Double d) {
      return SlotValue.vDouble(d);
    } else if (value instanceof boolean[] booleans) {
      List<Boolean> list = new ArrayList<>(booleans.length);
      for (boolean b : booleans) {
        list.add(b);
      }
      return SlotValue.vBooleans(list);
    } else if (value instanceof int[] ints) {
      return SlotValue.vIntegers(Arrays.stream(ints).boxed().toList());
    } else if (value instanceof long[] longs) {
      return SlotValue.vLongs(Arrays.stream(longs).boxed().toList());
    } else if (value instanceof double[] doubles) {
      return SlotValue.vDoubles(Arrays.stream(doubles).boxed().toList());
    } else if (value instanceof String[] strings) {
      return SlotValue.vStrings(List.of(strings));
    }
    return SlotValue.vString(String.valueOf(value));
  }

  /** Several values of one type: that of {@link #of}'s arrays; of all other types their text. */
  public static SlotValue ofAll(List<?> values) {
    if (areAll(values, Boolean.class)) {
      return SlotValue.vBooleans(values.stream().map(Boolean.class::cast).toList());
    } else if (areAll(values, Integer.class)) {
      return SlotValue.vIntegers(values.stream().map(Integer.class::cast).toList());
    } else if (areAll(values, Long.class)) {
      return SlotValue.vLongs(values.stream().map(Long.class::cast).toList());
    } else if (areAll(values, Double.class)) {
      return SlotValue.vDoubles(values.stream().map(Double.class::cast).toList());
    }
    return SlotValue.vStrings(values.stream().map(String::valueOf).toList());
  }

  private static boolean areAll(List<?> values, Class<?> type) {
    return values.stream().allMatch(type::isInstance);
  }
}
