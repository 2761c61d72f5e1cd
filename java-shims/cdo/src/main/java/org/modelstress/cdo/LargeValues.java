package org.modelstress.cdo;

import java.util.Collection;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.ocl.util.CollectionUtil;
import org.eclipse.ocl.utilities.PredefinedType;

/**
 * OCL's operations that in one step take for ever, or fill the memory: on values that are too large
 * they are refused. Loops are bounded elsewhere, since they have many steps.
 */
final class LargeValues {
  static final int MOST_ELEMENTS = 1_000_000;
  static final int LONGEST_TEXT = 1_000_000;

  /** Of one collection with each element of another. */
  private static final long MOST_COMPARISONS = 1_000_000_000;

  /** Those that make a collection out of others, or go through others again and again. */
  private static final Set<Integer> OPERATIONS =
      Set.of(
          PredefinedType.PRODUCT,
          PredefinedType.FLATTEN,
          PredefinedType.UNION,
          PredefinedType.SYMMETRIC_DIFFERENCE,
          PredefinedType.INTERSECTION,
          PredefinedType.INCLUDES_ALL,
          PredefinedType.EXCLUDES_ALL,
          PredefinedType.CONCAT,
          PredefinedType.MATCHES,
          PredefinedType.REPLACE_ALL,
          PredefinedType.REPLACE_FIRST,
          PredefinedType.SUBSTITUTE_ALL);

  private LargeValues() {}

  static boolean isWatched(int operation) {
    return OPERATIONS.contains(operation);
  }

  /**
   * Does a watched operation.
   *
   * @param step called again and again; what it throws ends the operation
   * @throws IllegalStateException if the values are too large for it
   * @throws UnsupportedOperationException if OCL itself is to do it
   */
  static Object call(int operation, Object source, Object[] arguments, Runnable step) {
    Object other = arguments.length == 0 ? null : arguments[0];
    if (source instanceof String text && other instanceof String more) {
      String last = arguments.length > 1 && arguments[1] instanceof String with ? with : null;
      return call(operation, text, more, last, step);
    } else if (operation == PredefinedType.FLATTEN && source instanceof Collection<?> all) {
      checkSize(flat(all, MOST_ELEMENTS + 1));
      return CollectionUtil.flatten(all);
    } else if (source instanceof Collection<?> all && other instanceof Collection<?> more) {
      return call(operation, all, more);
    }
    throw new UnsupportedOperationException();
  }

  private static Object call(int operation, String text, String other, String with, Runnable step) {
    if (operation == PredefinedType.CONCAT) {
      checkLength((long) text.length() + other.length());
      return text.concat(other);
    } else if (operation == PredefinedType.MATCHES) {
      return Pattern.compile(other).matcher(new Watched(text, step)).matches();
    } else if (with == null) {
      throw new UnsupportedOperationException();
    } else if (operation == PredefinedType.SUBSTITUTE_ALL) {
      return replaced(text, Pattern.quote(other), Matcher.quoteReplacement(with), false, step);
    }
    return replaced(text, other, with, operation == PredefinedType.REPLACE_FIRST, step);
  }

  private static String replaced(
      String text, String regex, String with, boolean once, Runnable step) {
    Matcher matcher = Pattern.compile(regex).matcher(new Watched(text, step));
    StringBuilder out = new StringBuilder();
    while (matcher.find()) {
      step.run();
      matcher.appendReplacement(out, with);
      checkLength(out.length());
      if (once) {
        break;
      }
    }
    matcher.appendTail(out);
    checkLength(out.length());
    return out.toString();
  }

  /** A text that takes steps to be read. */
  private record Watched(String text, Runnable step) implements CharSequence {
    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      step.run();
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.substring(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private static Object call(int operation, Collection<?> all, Collection<?> more) {
    long pairs = (long) all.size() * more.size();
    switch (operation) {
      case PredefinedType.PRODUCT -> checkSize(pairs);
      case PredefinedType.UNION, PredefinedType.SYMMETRIC_DIFFERENCE ->
          checkSize((long) all.size() + more.size());
      default -> {
        if (pairs > MOST_COMPARISONS && !(all instanceof Set && more instanceof Set)) {
          throw new IllegalStateException(
              "The query compares too many elements with each other; make Sets of both.");
        }
      }
    }
    return switch (operation) {
      case PredefinedType.UNION -> CollectionUtil.union(all, more);
      case PredefinedType.INTERSECTION -> CollectionUtil.intersection(all, more);
      case PredefinedType.INCLUDES_ALL -> CollectionUtil.includesAll(all, more);
      case PredefinedType.EXCLUDES_ALL -> CollectionUtil.excludesAll(all, more);
      default -> throw new UnsupportedOperationException();
    };
  }

  private static long flat(Object value, long most) {
    if (!(value instanceof Collection<?> all)) {
      return 1;
    }
    long found = 0;
    for (Object each : all) {
      if (found > most) {
        return found;
      }
      found += flat(each, most - found);
    }
    return found;
  }

  /** Checks a value that is kept in a variable. */
  static void check(Object value) {
    if (value instanceof String text) {
      checkLength(text.length());
    }
  }

  private static void checkLength(long characters) {
    if (characters > LONGEST_TEXT) {
      throw new IllegalStateException(
          "The query makes a text of more than " + LONGEST_TEXT + " characters.");
    }
  }

  /** Checks the number of elements of a collection that is about to be made. */
  static void checkSize(long elements) {
    if (elements > MOST_ELEMENTS) {
      throw new IllegalStateException(
          "The query makes a collection of more than " + MOST_ELEMENTS + " elements.");
    }
  }
}
