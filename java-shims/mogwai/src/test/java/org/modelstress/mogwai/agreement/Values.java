package org.modelstress.mogwai.agreement;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.emf.common.util.Enumerator;
import org.eclipse.emf.ecore.EEnumLiteral;
import org.eclipse.ocl.util.Bag;
import org.eclipse.ocl.util.Tuple;
import org.modelstress.mogwai.agreement.OclType.Kind;

/**
 * Writes values as text, so that equal values have equal texts: elements by index, sets and bags
 * sorted, tuples part by part. Integer 1 and Real 1.0 differ, as do null, invalid and an empty
 * collection.
 */
final class Values {
  /** Text of invalid, which no other text contains. */
  static final String INVALID = "<invalid>";

  private final Function<Object, Integer> indexOf;

  /**
   * @param indexOf the index of an element, or null for what is none
   */
  Values(Function<Object, Integer> indexOf) {
    this.indexOf = indexOf;
  }

  /**
   * The text of a value.
   *
   * @param type what the value should be; the order of a sequence counts only where it is defined
   */
  String text(Object value, OclType type) {
    if (value == null || value == InMemory.INVALID || value == InMemory.TOO_LONG) {
      return value == null ? "null" : value == InMemory.INVALID ? INVALID : "too long";
    }
    if (value instanceof Collection<?> collection) {
      return text(collection, type);
    }
    if (value instanceof Tuple<?, ?> || value instanceof Map<?, ?>) {
      return tuple(value, type);
    }
    if (value instanceof String string) {
      return "'" + string + "'";
    }
    if (value instanceof Long || value instanceof Double || value instanceof Float) {
      return number((Number) value);
    }
    if (value instanceof EEnumLiteral literal) {
      return literal.getEEnum().getName() + "::" + literal.getName();
    }
    Integer index = indexOf.apply(value);
    if (index != null) {
      return "#" + index;
    }
    return value instanceof Enumerator other ? "enumerator " + other.getName() : value.toString();
  }

  /** A whole number is the same as Integer and as Long; minus zero is zero. */
  private static String number(Number number) {
    return number instanceof Long ? number.toString() : String.valueOf(number.doubleValue() + 0.0);
  }

  private String text(Collection<?> values, OclType type) {
    if (!type.isCollection()) { // what Eclipse OCL did not flatten, because of a null beside it
      return text(values, unexpected(values, type));
    }
    Stream<String> texts = values.stream().map(each -> text(each, type.element()));
    if (!type.kind().isSequential() || !type.ordered()) {
      texts = texts.sorted();
    }
    return texts.collect(Collectors.joining(", ", type.kind().text + "{", "}"));
  }

  private static OclType unexpected(Collection<?> values, OclType element) {
    Kind kind =
        values instanceof List<?>
            ? Kind.SEQUENCE
            : values instanceof LinkedHashSet<?>
                ? Kind.ORDERED_SET
                : values instanceof Bag<?> ? Kind.BAG : Kind.SET;
    return OclType.collection(kind, element, true);
  }

  private String tuple(Object tuple, OclType type) {
    if (type.kind() != Kind.TUPLE) {
      return "unexpected tuple " + tuple;
    }
    return type.parts().entrySet().stream()
        .map(part -> part.getKey() + " = " + text(part(tuple, part.getKey()), part.getValue()))
        .collect(Collectors.joining(", ", "Tuple{", "}"));
  }

  private static Object part(Object tuple, String name) {
    if (tuple instanceof Tuple<?, ?> ofOcl) {
      return ofOcl.getValue(name);
    }
    Map<?, ?> map = (Map<?, ?>) tuple;
    return map.containsKey(name) ? map.get(name) : "missing part " + name;
  }

  /** Whether a collection's class shows the kind that its type has; true of other values. */
  static boolean showsKind(Object value, OclType type) {
    if (!(value instanceof Collection<?>)) {
      return true;
    }
    return switch (type.kind()) {
      case SET -> value instanceof Set<?>;
      case ORDERED_SET -> value instanceof LinkedHashSet<?>;
      case BAG -> value instanceof Bag<?>;
      case SEQUENCE -> value instanceof List<?>;
      default -> true;
    };
  }
}
