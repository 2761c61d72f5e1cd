package org.modelstress.topology.query;

import java.util.List;
import org.modelstress.topology.data.ObjectState;
import org.modelstress.topology.schema.ObjectType;

/**
 * A query: {@code SELECT FROM Type [WHERE condition] [ORDER BY attribute [DESC], …]}.
 *
 * @param text as it was written
 * @param type of its results
 * @param condition null: all objects of the type
 * @param order empty: none
 * @param parameters how many question marks there are
 */
public record Query(
    String text, ObjectType type, Condition condition, List<Order> order, int parameters) {
  /** An attribute by which results are ordered; nulls come last. */
  public record Order(int place, boolean descending) {}

  /** Whether an object is a result, by its values. */
  public boolean selects(Object[] values, List<?> given) {
    return condition == null || condition.holds(values, given);
  }

  /** Compares results as {@code ORDER BY} asks; those that are equal in it by identifier. */
  public int compare(ObjectState a, ObjectState b) {
    for (Order by : order) {
      int result = compareNullable(a.value(by.place()), b.value(by.place()), by.descending());
      if (result != 0) {
        return result;
      }
    }
    return Long.compare(a.oid(), b.oid());
  }

  private static int compareNullable(Object a, Object b, boolean descending) {
    if (a == null || b == null) {
      return Boolean.compare(a == null, b == null);
    }
    int result = Values.compare(a, b);
    return descending ? -result : result;
  }
}
