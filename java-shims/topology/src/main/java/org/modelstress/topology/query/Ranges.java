package org.modelstress.topology.query;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.modelstress.topology.query.Condition.Comparison;
import org.modelstress.topology.query.Condition.Several;

/**
 * Between which values the attributes of a condition's objects lie, as far as that is plain: a
 * query is sent only to the domains that may have results.
 */
public final class Ranges {
  /** An interval; null: open to that side. */
  private record Range(Object low, boolean lowIncluded, Object high, boolean highIncluded) {
    private static final Range ALL = new Range(null, true, null, true);

    Range with(Comparison.Comparator comparator, Object value) {
      return switch (comparator) {
        case EQUAL -> above(value, true).below(value, true);
        case MORE -> above(value, false);
        case AT_LEAST -> above(value, true);
        case LESS -> below(value, false);
        case AT_MOST -> below(value, true);
        case NOT_EQUAL -> this;
      };
    }

    private Range above(Object value, boolean included) {
      int order = low == null ? 1 : Values.compare(value, low);
      if (order < 0 || order == 0 && included) {
        return this;
      }
      return new Range(value, included, high, highIncluded);
    }

    private Range below(Object value, boolean included) {
      int order = high == null ? -1 : Values.compare(value, high);
      if (order > 0 || order == 0 && included) {
        return this;
      }
      return new Range(low, lowIncluded, value, included);
    }

    boolean isEmpty() {
      if (low == null || high == null) {
        return false;
      }
      int order = Values.compare(low, high);
      return order > 0 || order == 0 && !(lowIncluded && highIncluded);
    }
  }

  private final Map<Integer, Range> byPlace = new HashMap<>();

  private Ranges() {}

  /**
   * Whether no object can have both conditions; false where that is not plain.
   *
   * @param one a condition on objects of some type; null: none
   * @param parameters of the first one
   * @param other a condition without parameters on the same objects; null: none
   */
  public static boolean exclude(Condition one, List<?> parameters, Condition other) {
    Ranges ranges = new Ranges();
    try {
      ranges.narrow(one, parameters);
      ranges.narrow(other, List.of());
    } catch (IllegalArgumentException e) {
      return false; // values that cannot be compared: the store says so
    }
    return ranges.byPlace.values().stream().anyMatch(Range::isEmpty);
  }

  private void narrow(Condition condition, List<?> parameters) {
    if (condition instanceof Several several && several.all()) {
      several.parts().forEach(part -> narrow(part, parameters));
    } else if (condition instanceof Comparison comparison) {
      narrow(comparison.left(), comparison.comparator(), comparison.right(), parameters);
      narrow(comparison.right(), comparison.comparator().mirrored(), comparison.left(), parameters);
    }
  }

  private void narrow(
      Operand column, Condition.Comparator comparator, Operand side, List<?> parameters) {
    boolean plain = side instanceof Operand.Literal || side instanceof Operand.Parameter;
    if (column instanceof Operand.Column attribute && plain) {
      Object value = side.value(null, parameters);
      if (value != null) {
        byPlace.merge(
            attribute.place(),
            Range.ALL.with(comparator, value),
            (known, added) -> known.with(comparator, value));
      }
    }
  }
}
