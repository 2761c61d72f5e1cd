package org.modelstress.mogwai.gremlin;

/** A compiled expression; immutable, for any number of executions at once. */
abstract class Plan {
  /** OCL's {@code invalid}; null is OCL's null. */
  static final Object INVALID =
      new Object() {
        @Override
        public String toString() {
          return "invalid";
        }
      };

  /** The code of an expression that is no pipeline. */
  @FunctionalInterface
  interface Code {
    Object value(Frame frame);
  }

  final Traits traits;

  Plan(Traits traits) {
    this.traits = traits;
  }

  static Plan of(Traits traits, Code code) {
    return new Plan(traits) {
      @Override
      Object value(Frame frame) {
        return code.value(frame);
      }
    };
  }

  /** The value of a variable. */
  static final class Variable extends Plan {
    final int slot;

    Variable(Traits traits, int slot) {
      super(traits);
      this.slot = slot;
    }

    @Override
    Object value(Frame frame) {
      return frame.slots[slot];
    }
  }

  static Plan constant(Object value) {
    return of(new Traits(value != INVALID, value != null, false), frame -> value);
  }

  /**
   * The value; a runtime exception that is no {@link Signal} is a failure as Eclipse OCL has it,
   * which some expressions pass on and others make {@code invalid}.
   */
  abstract Object value(Frame frame);

  /** The value, {@code invalid} if the evaluation failed. */
  final Object safe(Frame frame) {
    if (traits.total()) {
      return value(frame);
    }
    try {
      return value(frame);
    } catch (Signal e) {
      throw e;
    } catch (RuntimeException e) {
      return INVALID;
    }
  }

  static boolean isUndefined(Object value) {
    return value == null || value == INVALID;
  }
}
