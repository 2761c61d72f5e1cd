package org.modelstress.mogwai.gremlin;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.eclipse.ocl.internal.evaluation.NumberUtil;

/** A tuple. */
final class TupleValue {
  /**
   * What tuples of one type have in common.
   *
   * @param type OCL's tuple type: one object per type and query
   * @param names of the parts, in order of declaration
   */
  record Shape(Object type, String[] names) {
    int index(String name) {
      return Arrays.asList(names).indexOf(name);
    }
  }

  private final Shape shape;
  private final Object[] values;
  private int hash;

  /** With the values in the order of the shape's names. */
  TupleValue(Shape shape, Object[] values) {
    this.shape = shape;
    this.values = values;
  }

  Object value(String name) {
    Object value = values[shape.index(name)];
    return value instanceof Number number ? NumberUtil.coerceNumber(number) : value;
  }

  /**
   * Part to value, each value as a function makes it. A whole number stays Long where it was: two
   * tuples that differ in that alone are two.
   */
  Map<String, Object> toMap(UnaryOperator<Object> each) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < values.length; i++) {
      map.put(shape.names()[i], each.apply(values[i]));
    }
    return map;
  }

  @Override
  public boolean equals(Object other) {
    return other == this
        || other instanceof TupleValue tuple
            && tuple.hashCode() == hashCode()
            && tuple.shape.type().equals(shape.type())
            && Arrays.equals(tuple.values, values);
  }

  @Override
  public int hashCode() {
    if (hash == 0) { // the parts do not change
      hash = 31 * shape.type().hashCode() + Arrays.hashCode(values);
    }
    return hash;
  }
}
