package org.modelstress.mogwai.gremlin;

import static org.eclipse.ocl.utilities.PredefinedType.*;

import org.eclipse.ocl.internal.evaluation.NumberUtil;

/**
 * Arithmetic as Eclipse OCL has it: whole numbers are computed as long and become Integer where
 * they fit; others as double.
 */
final class Numbers {
  private static final long ABOVE_INTEGER = Integer.MAX_VALUE + 1L;

  private Numbers() {}

  /** Fails for types that Eclipse OCL does not negate. */
  static Object unary(int code, Object value) {
    return switch (code) {
      case MINUS -> minus(value);
      case ABS -> abs(value);
      case FLOOR -> value instanceof Double real ? (Object) (int) Math.floor(real) : value;
      default -> value instanceof Double real ? (Object) (int) Math.round(real) : value;
    };
  }

  private static Object minus(Object value) {
    if (value instanceof Integer whole) {
      return whole == Integer.MIN_VALUE ? (Object) ABOVE_INTEGER : (Object) (-whole);
    }
    if (value instanceof Long whole) {
      return whole == ABOVE_INTEGER ? (Object) Integer.MIN_VALUE : (Object) (-whole);
    }
    return -(Double) value;
  }

  private static Object abs(Object value) {
    if (value instanceof Integer whole) {
      return whole == Integer.MIN_VALUE ? (Object) ABOVE_INTEGER : (Object) Math.abs(whole);
    }
    if (value instanceof Long whole) {
      return Math.abs(whole);
    }
    return Math.abs((Double) value);
  }

  /** Of a number and a value that is there. */
  @SuppressWarnings("unchecked")
  static Object binary(int code, Number source, Object argument) {
    if (source instanceof Integer one && argument instanceof Integer other) {
      return whole(code, one, other);
    }
    Number one = NumberUtil.higherPrecisionNumber(source);
    Object other =
        argument instanceof Number number ? NumberUtil.higherPrecisionNumber(number) : argument;
    if (one instanceof Long a && other instanceof Long b) {
      return whole(code, a, b);
    }
    if (isNative(one) && other instanceof Number number && isNative(number)) {
      return real(code, one.doubleValue(), number.doubleValue());
    }
    Boolean compared = Scalars.compare(code, ((Comparable<Object>) one).compareTo(other));
    return compared == null ? Plan.INVALID : compared;
  }

  private static boolean isNative(Number number) {
    return number instanceof Long || number instanceof Double;
  }

  private static Object whole(int code, long one, long other) {
    return switch (code) {
      case PLUS -> NumberUtil.coerceNumber(one + other);
      case MINUS -> NumberUtil.coerceNumber(one - other);
      case TIMES -> NumberUtil.coerceNumber(one * other);
      case DIVIDE -> other == 0 ? Plan.INVALID : (Object) ((double) one / (double) other);
      case DIV -> other == 0 ? Plan.INVALID : NumberUtil.coerceNumber(one / other);
      case MOD -> NumberUtil.coerceNumber(one % other);
      case MAX -> NumberUtil.coerceNumber(Math.max(one, other));
      case MIN -> NumberUtil.coerceNumber(Math.min(one, other));
      default -> comparison(code, Long.compare(one, other));
    };
  }

  private static Object real(int code, double one, double other) {
    return switch (code) {
      case PLUS -> one + other;
      case MINUS -> one - other;
      case TIMES -> one * other;
      case DIVIDE -> other == 0.0 ? Plan.INVALID : (Object) (one / other);
      case MAX -> Math.max(one, other);
      case MIN -> Math.min(one, other);
      case LESS_THAN -> one < other;
      case GREATER_THAN -> one > other;
      case LESS_THAN_EQUAL -> one <= other;
      case GREATER_THAN_EQUAL -> one >= other;
      default -> throw unknown(code);
    };
  }

  private static Object comparison(int code, int order) {
    Boolean compared = Scalars.compare(code, order);
    if (compared == null) {
      throw unknown(code);
    }
    return compared;
  }

  private static RuntimeException unknown(int code) {
    return new IllegalArgumentException("no numbers have the operation " + code);
  }
}
