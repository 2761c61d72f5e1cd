package org.modelstress.mogwai.gremlin;

import static org.eclipse.ocl.utilities.PredefinedType.*;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.StringTokenizer;
import java.util.stream.Collectors;
import org.eclipse.ocl.util.UnicodeSupport;

/** Operations of Boolean, String, enumerations and, through {@link Numbers}, numbers. */
final class Scalars {
  private static final String WHITE_SPACE = " \t\n\r\f";

  /** Over defined values, but for a first argument of null; fails as Eclipse OCL's does. */
  @FunctionalInterface
  interface Operation {
    Object apply(Object source, Object first, Object second);
  }

  /** Characters of a text. */
  private static final int LONGEST = 4_000_000;

  /** Comparisons of characters within one search. */
  private static final long MOST_COMPARED = 20_000_000_000L;

  private Scalars() {}

  /** A length, if a text may have it. */
  private static void checkLength(long length) {
    if (length > LONGEST) {
      throw new Signal.TooLarge("a text has at most " + LONGEST + " characters");
    }
  }

  private static String concat(String text, String other) {
    checkLength((long) text.length() + other.length());
    return text.concat(other);
  }

  /** Refuses a search that could take minutes. */
  private static String searched(String text, String part) {
    if ((long) text.length() * part.length() > MOST_COMPARED) {
      throw new Signal.TooLarge("a text of this length cannot be searched for one of that length");
    }
    return text;
  }

  private static String substituteAll(String text, String old, String with) {
    long places = searched(text, old).length() / Math.max(1, old.length()) + 1L;
    if (text.length() + places * with.length() > LONGEST) { // it may still be shorter
      long found = 0;
      for (int at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length())) {
        found++;
        if (old.isEmpty()) {
          found = text.length() + 1L;
          break;
        }
      }
      checkLength(text.length() + found * (with.length() - old.length()));
    }
    return text.replace(old, with);
  }

  /** The operation of a code; null if there is none. */
  static Operation operation(int code, int arguments) {
    return switch (arguments) {
      case 0 -> unary(code);
      case 1 -> binary(code);
      case 2 -> ternary(code);
      default -> null;
    };
  }

  private static Operation unary(int code) {
    return switch (code) {
      case MINUS, ABS, FLOOR, ROUND -> (s, a, b) -> Numbers.unary(code, s);
      case NOT -> (s, a, b) -> !(Boolean) s;
      case SIZE -> (s, a, b) -> ((String) s).length();
      case TO_BOOLEAN -> (s, a, b) -> "true".equals(s);
      case TO_INTEGER -> (s, a, b) -> Integer.valueOf((String) s);
      case TO_REAL -> (s, a, b) -> Double.valueOf((String) s);
      case TO_LOWER, TO_LOWER_CASE -> (s, a, b) -> UnicodeSupport.toLowerCase((String) s);
      case TO_UPPER, TO_UPPER_CASE -> (s, a, b) -> UnicodeSupport.toUpperCase((String) s);
      case TRIM -> (s, a, b) -> ((String) s).trim();
      case CHARACTERS -> (s, a, b) -> characters((String) s);
      case TOKENIZE -> (s, a, b) -> tokens((String) s, WHITE_SPACE, false);
      case TO_STRING -> (s, a, b) -> s.toString();
      default -> null;
    };
  }

  private static Object characters(String text) {
    return text.chars()
        .mapToObj(c -> (Object) String.valueOf((char) c))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private static Object tokens(String text, String separators, boolean with) {
    List<Object> tokens = new ArrayList<>();
    tokens.addAll(Collections.list(new StringTokenizer(text, separators, with)));
    return tokens;
  }

  private static Operation binary(int code) {
    return switch (code) {
      case PLUS,
          MINUS,
          TIMES,
          DIVIDE,
          DIV,
          MOD,
          MAX,
          MIN,
          LESS_THAN,
          GREATER_THAN,
          LESS_THAN_EQUAL,
          GREATER_THAN_EQUAL,
          CONCAT,
          AT,
          ENDS_WITH,
          EQUALS_IGNORE_CASE,
          INDEX_OF,
          LAST_INDEX_OF,
          STARTS_WITH,
          TOKENIZE ->
          (s, a, b) -> binary(code, s, a);
      default -> null;
    };
  }

  @SuppressWarnings("unchecked")
  private static Object binary(int code, Object source, Object argument) {
    if (source instanceof Number number) {
      return argument == null ? Plan.INVALID : Numbers.binary(code, number, argument);
    }
    if (source instanceof String text) {
      return argument == null
          ? Plan.INVALID
          : string(code, text, (String) argument(code, argument));
    }
    if (source instanceof Comparable<?> comparable) {
      Boolean compared = compare(code, ((Comparable<Object>) comparable).compareTo(argument));
      return compared == null ? Plan.INVALID : compared;
    }
    return Plan.INVALID;
  }

  /** {@code at} takes a number; all others take a string. */
  private static Object argument(int code, Object argument) {
    return code == AT ? argument.toString() : argument;
  }

  private static Object string(int code, String text, String argument) {
    return switch (code) {
      case PLUS, CONCAT -> concat(text, argument);
      case AT -> text.substring(Integer.parseInt(argument) - 1, Integer.parseInt(argument));
      case ENDS_WITH -> text.endsWith(argument);
      case EQUALS_IGNORE_CASE -> text.equalsIgnoreCase(argument);
      case INDEX_OF -> 1 + searched(text, argument).indexOf(argument);
      case LAST_INDEX_OF -> 1 + searched(text, argument).lastIndexOf(argument);
      case STARTS_WITH -> text.startsWith(argument);
      case TOKENIZE -> tokens(text, argument, false);
      default -> compare(code, text.compareTo(argument));
    };
  }

  /** What a comparison says; null if the code is of none. */
  static Boolean compare(int code, int order) {
    return switch (code) {
      case LESS_THAN -> order < 0;
      case GREATER_THAN -> order > 0;
      case LESS_THAN_EQUAL -> order <= 0;
      case GREATER_THAN_EQUAL -> order >= 0;
      default -> null;
    };
  }

  private static Operation ternary(int code) {
    return switch (code) {
      case SUBSTRING ->
          (s, a, b) -> {
            int first = (Integer) a;
            int last = (Integer) b;
            String text = (String) s;
            return 1 > first || first > last || last > text.length()
                ? Plan.INVALID
                : text.substring(first - 1, last);
          };
      case SUBSTITUTE_ALL -> (s, a, b) -> substituteAll((String) s, (String) a, (String) b);
      case SUBSTITUTE_FIRST -> (s, a, b) -> substituteFirst((String) s, (String) a, (String) b);
      case TOKENIZE -> (s, a, b) -> tokens((String) s, (String) a, (Boolean) b);
      default -> null;
    };
  }

  private static Object substituteFirst(String text, String old, String with) {
    int at = searched(text, old).indexOf(old);
    checkLength((long) text.length() + with.length());
    return at < 0 ? Plan.INVALID : text.substring(0, at) + with + text.substring(at + old.length());
  }
}
