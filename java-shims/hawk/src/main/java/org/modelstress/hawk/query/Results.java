package org.modelstress.hawk.query;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.epsilon.eol.models.IModel;
import org.eclipse.epsilon.eol.types.EolModelElementType;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.queries.FailedQueryException;

/** Results of Epsilon as {@link ResultEncoder} gets them. */
public final class Results {
  private static final int MAX_DEPTH = 64;

  private Results() {}

  /**
   * Only null, Booleans, numbers, texts, elements, types, and collections and maps of these; other
   * things become text.
   *
   * @param names finds the type of a name
   * @throws FailedQueryException if collections contain themselves, or each other too often
   */
  public static Object of(Object value, TypeNames names) throws FailedQueryException {
    if (!Weight.isBounded(value)) {
      throw new FailedQueryException("The result's collections have too many elements", null);
    }
    return of(value, names, 0);
  }

  private static Object of(Object value, TypeNames names, int depth) throws FailedQueryException {
    if (depth > MAX_DEPTH) {
      throw new FailedQueryException(
          "The result has collections more than " + MAX_DEPTH + " deep in each other", null);
    }
    if (value instanceof NodeList || isPlain(value)) {
      return value;
    }
    if (value instanceof Collection<?> collection) {
      List<Object> list = new ArrayList<>(collection.size());
      for (Object each : collection) {
        list.add(of(each, names, depth + 1));
      }
      return list;
    }
    if (value instanceof Map<?, ?> map) {
      Map<Object, Object> plain = new LinkedHashMap<>();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        plain.put(of(entry.getKey(), names, depth + 1), of(entry.getValue(), names, depth + 1));
      }
      return plain;
    }
    return other(value, names);
  }

  private static boolean isPlain(Object value) {
    return value == null
        || value instanceof Boolean
        || value instanceof Number
        || value instanceof String
        || value instanceof Element
        || value instanceof Catalog.Type;
  }

  private static Object other(Object value, TypeNames names) {
    if (value instanceof EolModelElementType type) {
      Catalog.Type known = names.type(type.getTypeName());
      return known == null ? type.getName() : known;
    }
    return value instanceof IModel ? "model" : String.valueOf(value);
  }
}
