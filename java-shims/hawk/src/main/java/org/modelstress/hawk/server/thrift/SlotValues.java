package org.modelstress.hawk.server.thrift;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.modelstress.hawk.api.SlotValue;

/** Attribute values of the graph as Thrift's. */
final class SlotValues {
  private SlotValues() {}

  /** A value that the graph stores; an enumeration's literal is a string there. */
  static SlotValue of(Object value) {
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
}
