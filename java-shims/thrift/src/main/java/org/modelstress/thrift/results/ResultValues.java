package org.modelstress.thrift.results;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.QueryResult;

/**
 * Turns a query's result into Thrift's. No value at all is an empty list, because a union without a
 * value cannot be sent; elements outside of the effective metamodel are left out of lists and maps.
 */
public final class ResultValues<E> {
  private final ElementSource<E, ?> source;
  private final HawkQueryOptions options;
  private ElementEncoder<E, ?> elements;

  private ResultValues(ElementSource<E, ?> source, HawkQueryOptions options) {
    this.source = source;
    this.options = options;
  }

  /** The result for a client with these options. */
  public static <E> QueryResult encode(
      Object result, ElementSource<E, ?> source, HawkQueryOptions options) {
    ResultValues<E> values = new ResultValues<>(source, options);
    if (values.hasElements(result) && values.elements().needsPlaces()) {
      values.place(result);
    }
    QueryResult encoded = values.encode(result);
    return encoded == null ? nothing() : encoded;
  }

  /** What stands for no value. */
  public static QueryResult nothing() {
    return QueryResult.vList(new ArrayList<>());
  }

  private ElementEncoder<E, ?> elements() {
    if (elements == null) {
      elements = new ElementEncoder<>(source, options);
    }
    return elements;
  }

  private boolean hasElements(Object value) {
    if (value instanceof Collection<?> all) {
      return all.stream().anyMatch(this::hasElements);
    } else if (value instanceof Map<?, ?> map) {
      return map.values().stream().anyMatch(this::hasElements);
    }
    return source.element(value) != null;
  }

  private void place(Object value) {
    if (value instanceof Collection<?> all) {
      all.forEach(this::place);
    } else if (value instanceof Map<?, ?> map) {
      map.values().forEach(this::place);
    } else {
      E element = source.element(value);
      if (element != null) {
        elements().place(element);
      }
    }
  }

  private QueryResult encode(Object value) {
    if (value == null) {
      return nothing();
    } else if (value instanceof Collection<?> all) {
      List<QueryResult> list = new ArrayList<>(all.size());
      for (Object one : all) {
        QueryResult encoded = encode(one);
        if (encoded != null) {
          list.add(encoded);
        }
      }
      return QueryResult.vList(list);
    } else if (value instanceof Map<?, ?> map) {
      return QueryResult.vMap(encodeMap(map));
    }
    E element = source.element(value);
    if (element == null) {
      return encodeScalar(value);
    }
    ModelElement encoded = elements().encode(element);
    return encoded == null ? null : QueryResult.vModelElement(encoded);
  }

  private QueryResult encodeScalar(Object value) {
    if (value instanceof Boolean b) {
      return QueryResult.vBoolean(b);
    } else if (value instanceof Integer i) {
      return QueryResult.vInteger(i);
    } else if (value instanceof Long l) {
      return QueryResult.vLong(l);
    } else if (value instanceof Double || value instanceof Float) {
      return QueryResult.vDouble(((Number) value).doubleValue());
    } else if (value instanceof Short s) {
      return QueryResult.vShort(s);
    } else if (value instanceof Byte b) {
      return QueryResult.vByte(b);
    } else if (value instanceof String text) {
      return QueryResult.vString(text);
    }
    return source.other(value);
  }

  private Map<String, QueryResult> encodeMap(Map<?, ?> map) {
    // in order: what elements leave out depends on the one before
    Map<String, QueryResult> encoded = new LinkedHashMap<>();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      QueryResult value = encode(entry.getValue());
      if (value != null) {
        encoded.put(source.key(entry.getKey()), value);
      }
    }
    return encoded;
  }
}
