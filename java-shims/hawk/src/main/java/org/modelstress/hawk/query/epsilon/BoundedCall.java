package org.modelstress.hawk.query.epsilon;

import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.epsilon.common.module.ModuleElement;
import org.eclipse.epsilon.eol.exceptions.EolRuntimeException;
import org.eclipse.epsilon.eol.execute.introspection.java.ObjectMethod;
import org.eclipse.epsilon.eol.types.EolSequence;
import org.modelstress.hawk.query.Weight;

/**
 * A call that could take for ever, or fill the memory, in one step of the evaluation: done in steps
 * that look whether the query was cancelled, or refused.
 */
final class BoundedCall extends ObjectMethod {
  /** Elements of a collection that one call makes. */
  private static final int MOST_ELEMENTS = 10_000_000;

  private static final int LARGEST_POWERSET = 16;

  /** Those that go through the whole value on which they are called. */
  private static final Set<String> WALKS =
      Set.of(
          "toString",
          "asString",
          "hashCode",
          "equals",
          "flatten",
          "concat",
          "format",
          "print",
          "println",
          "err",
          "errln",
          "asSet",
          "asOrderedSet",
          "escapeXml",
          "asUnicode");

  private static final Set<String> OF_TEXTS =
      Set.of(
          "pad",
          "repeat",
          "concat",
          "format",
          "matches",
          "replace",
          "replaceAll",
          "replaceFirst",
          "replaceLiteral",
          "split",
          "indexOf",
          "lastIndexOf",
          "contains",
          "isSubstringOf");

  /** Those that ask one collection for each element of another. */
  private static final Set<String> PAIRWISE =
      Set.of(
          "includesAll",
          "excludesAll",
          "includingAll",
          "excludingAll",
          "containsAll",
          "removeAll",
          "retainAll");

  private static final Set<String> OTHERS = Set.of("to", "iota", "powerset", "invert");

  private final ObjectMethod found;
  private final Object target;
  private final Texts texts;

  BoundedCall(ObjectMethod found, Object target, Texts texts) {
    super(found.getObject(), found.getMethod());
    this.found = found;
    this.target = target;
    this.texts = texts;
  }

  /** Whether a call of this name with these arguments, of which null are unknown, needs bounds. */
  static boolean isNeeded(String name, Object[] arguments) {
    if (WALKS.contains(name)
        || OF_TEXTS.contains(name)
        || PAIRWISE.contains(name)
        || OTHERS.contains(name)) {
      return true;
    }
    for (Object argument : arguments) {
      if (argument instanceof Collection || argument instanceof Map) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Object execute(Object[] arguments, ModuleElement ast) throws EolRuntimeException {
    String name = getMethod().getName();
    try {
      for (Object argument : arguments) {
        checkWeight(argument, ast);
      }
      if (WALKS.contains(name)) {
        checkWeight(target, ast);
      }
      if (target instanceof String text && OF_TEXTS.contains(name)) {
        return ofText(name, text, arguments, ast);
      }
      if (name.equals("invert") && target instanceof Collection<?> all) {
        return inverted(all);
      }
      Object result = found.execute(bounded(name, arguments, ast), ast);
      if (result instanceof String text && text.length() > Texts.LONGEST) {
        throw new Texts.TooLongException();
      }
      return result;
    } catch (Texts.TooLongException | IllegalArgumentException e) {
      throw new EolRuntimeException(e.getMessage(), ast);
    }
  }

  /** Epsilon's inserts each element before all others, which takes the square of their number. */
  private static Object inverted(Collection<?> all) {
    List<Object> elements = new ArrayList<>(all);
    Collections.reverse(elements);
    EolSequence<Object> inverted = new EolSequence<>();
    inverted.addAll(elements);
    return inverted;
  }

  private static void checkWeight(Object value, ModuleElement ast) throws EolRuntimeException {
    if (!Weight.isBounded(value)) {
      throw tooMany(ast);
    }
  }

  static EolRuntimeException tooMany(ModuleElement ast) {
    return new EolRuntimeException("the collections have too many elements", ast);
  }

  private Object ofText(String name, String text, Object[] given, ModuleElement ast)
      throws EolRuntimeException {
    Class<?>[] types = getMethod().getParameterTypes();
    boolean ofStrings = List.of(types).stream().allMatch(type -> type == String.class);
    return switch (name) {
      case "pad" -> texts.pad(text, (Integer) given[0], (String) given[1], (Boolean) given[2]);
      case "repeat" -> texts.repeat(text, (Integer) given[0]);
      case "concat" -> texts.concat(text, (String) given[0]);
      case "format" -> texts.format((String) given[0], text);
      case "matches" -> texts.matches(text, (String) given[0]);
      case "replace" ->
          ofStrings
              ? texts.replaceAll(text, (String) given[0], (String) given[1], false)
              : texts.replaceLiteral(text, given[0].toString(), given[1].toString());
      case "replaceAll" -> texts.replaceAll(text, (String) given[0], (String) given[1], false);
      case "replaceFirst" -> texts.replaceAll(text, (String) given[0], (String) given[1], true);
      case "replaceLiteral" -> texts.replaceLiteral(text, (String) given[0], (String) given[1]);
      case "split" ->
          texts.split(text, (String) given[0], given.length > 1 ? (Integer) given[1] : 0);
      case "contains" -> texts.indexOf(text, given[0].toString(), 0, false) >= 0;
      case "isSubstringOf" -> texts.indexOf((String) given[0], text, 0, false) >= 0;
      case "indexOf", "lastIndexOf" ->
          types[0] == String.class ? place(name, text, given) : found.execute(given, ast);
      default -> throw new IllegalStateException(name);
    };
  }

  private int place(String name, String text, Object[] given) {
    boolean last = name.equals("lastIndexOf");
    int from = given.length > 1 ? (Integer) given[1] : last ? text.length() : 0;
    return texts.indexOf(text, (String) given[0], from, last);
  }

  private Object[] bounded(String name, Object[] given, ModuleElement ast)
      throws EolRuntimeException {
    if (PAIRWISE.contains(name) && given.length == 1 && given[0] instanceof Collection<?> all) {
      return new Object[] {new Watched(all)};
    }
    boolean tooMany =
        switch (name) {
          case "powerset" -> target instanceof Collection<?> all && all.size() > LARGEST_POWERSET;
          case "to" -> distance(given[0]) > MOST_ELEMENTS;
          case "iota" ->
              given[1].equals(0)
                  || distance(given[0]) / Math.abs((long) (Integer) given[1]) > MOST_ELEMENTS;
          case "format" -> given.length > 0 && isHuge(given[0]);
          default -> false;
        };
    if (tooMany) {
      throw tooMany(ast);
    }
    return given;
  }

  private boolean isHuge(Object pattern) {
    texts.format((String) pattern, target); // fails where it is too long
    return false;
  }

  private long distance(Object to) {
    return Math.abs(((Number) target).longValue() - ((Number) to).longValue());
  }

  @Override
  public void close() {
    found.close();
  }

  /** Looks at every step whether the query was cancelled. */
  private final class Watched extends AbstractCollection<Object> {
    private final Collection<?> all;

    Watched(Collection<?> all) {
      this.all = all;
    }

    @Override
    public boolean contains(Object element) {
      texts.step();
      return all.contains(element);
    }

    @Override
    public Iterator<Object> iterator() {
      Iterator<?> each = all.iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return each.hasNext();
        }

        @Override
        public Object next() {
          texts.step();
          return each.next();
        }
      };
    }

    @Override
    public int size() {
      return all.size();
    }
  }
}
