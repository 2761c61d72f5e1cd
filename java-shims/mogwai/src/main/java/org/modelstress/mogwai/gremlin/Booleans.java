package org.modelstress.mogwai.gremlin;

import static org.eclipse.ocl.utilities.PredefinedType.*;

/**
 * {@code and}, {@code or}, {@code xor}, {@code implies} over three values: null counts as invalid.
 * A failure of the second operand goes on.
 */
final class Booleans {
  private Booleans() {}

  static Plan plan(int code, Plan left, Plan right) {
    Traits traits = Traits.presentIf(left.traits.sure() && right.traits.sure());
    return switch (code) {
      case AND -> decisive(traits, left, right, false, false, false);
      case OR -> decisive(traits, left, right, true, true, true);
      case IMPLIES -> decisive(traits, left, right, false, true, true);
      default -> xor(traits, left, right);
    };
  }

  /** A value of one operand can decide alone. */
  private static Plan decisive(
      Traits traits, Plan left, Plan right, boolean ifLeft, boolean ifRight, boolean decided) {
    return Plan.of(
        traits,
        frame -> {
          Object one = left.safe(frame);
          if (one instanceof Boolean value && value == ifLeft) {
            return decided;
          }
          Object other = right.value(frame);
          if (other instanceof Boolean value && value == ifRight) {
            return decided;
          }
          return Plan.isUndefined(one) || Plan.isUndefined(other) ? Plan.INVALID : !decided;
        });
  }

  private static Plan xor(Traits traits, Plan left, Plan right) {
    return Plan.of(
        traits,
        frame -> {
          Object one = left.safe(frame);
          Object other = right.value(frame);
          return Plan.isUndefined(one) || Plan.isUndefined(other)
              ? Plan.INVALID
              : (Boolean) one ^ (Boolean) other;
        });
  }
}
