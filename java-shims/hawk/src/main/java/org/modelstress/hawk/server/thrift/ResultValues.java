package org.modelstress.hawk.server.thrift;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.ModelElementType;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.hawk.api.SlotMetadata;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.query.Element;

/**
 * Turns a query's result into Thrift's. No value at all is an empty list, because a union without a
 * value cannot be sent; elements outside of the effective metamodel are left out of lists and maps.
 */
final class ResultValues {
  private final Catalog catalog;
  private final Graph graph;
  private final GraphReader reader;
  private final HawkQueryOptions options;
  private ElementEncoder elements;

  private ResultValues(Catalog catalog, Graph graph, GraphReader reader, HawkQueryOptions options) {
    this.catalog = catalog;
    this.graph = graph;
    this.reader = reader;
    this.options = options;
  }

  /** The result for a client with these options. */
  static QueryResult encode(
      Object result, Catalog catalog, Graph graph, GraphReader reader, HawkQueryOptions options) {
    ResultValues values = new ResultValues(catalog, graph, reader, options);
    if (values.hasElements(result) && values.elements().needsPlaces()) {
      values.place(result);
    }
    QueryResult encoded = values.encode(result);
    return encoded == null ? nothing() : encoded;
  }

  static QueryResult nothing() {
    return QueryResult.vList(new ArrayList<>());
  }

  private ElementEncoder elements() {
    if (elements == null) {
      elements = new ElementEncoder(catalog, graph, reader, options);
    }
    return elements;
  }

  private boolean hasElements(Object value) {
    if (value instanceof Collection<?> all) {
      return all.stream().anyMatch(this::hasElements);
    }
    return value instanceof Element
        || value instanceof Map<?, ?> map && map.values().stream().anyMatch(this::hasElements);
  }

  private void place(Object value) {
    if (value instanceof Element element) {
      elements().place(element.node());
    } else if (value instanceof Collection<?> all) {
      all.forEach(this::place);
    } else if (value instanceof Map<?, ?> map) {
      map.values().forEach(this::place);
    }
  }

  private QueryResult encode(Object value) {
    if (value == null) {
      return nothing();
    } else if (value instanceof Element element) {
      ModelElement encoded = elements().encode(element.node());
      return encoded == null ? null : QueryResult.vModelElement(encoded);
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
    } else if (value instanceof Catalog.Type type) {
      return QueryResult.vModelElementType(encodeType(type));
    }
    return encodeScalar(value);
  }

  private static QueryResult encodeScalar(Object value) {
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
    }
    return QueryResult.vString(String.valueOf(value));
  }

  private Map<String, QueryResult> encodeMap(Map<?, ?> map) {
    // in order: what elements leave out depends on the one before
    Map<String, QueryResult> encoded = new LinkedHashMap<>();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      QueryResult value = encode(entry.getValue());
      if (value != null) {
        encoded.put(key(entry.getKey()), value);
      }
    }
    return encoded;
  }

  /** Thrift's keys are text: of an element its identifier. */
  private String key(Object key) {
    if (key instanceof Element element) {
      return graph.idText(element.node());
    }
    return key instanceof Catalog.Type type ? type.name() : String.valueOf(key);
  }

  private ModelElementType encodeType(Catalog.Type type) {
    ModelElementType encoded =
        new ModelElementType(
            graph.idText(type.node()), type.eClass().getEPackage().getNsURI(), type.name());
    for (Catalog.Feature feature : type.features().values()) {
      if (feature instanceof Catalog.Attribute attribute) {
        encoded.addToAttributes(metadata(attribute.eAttribute()));
      } else if (feature instanceof Catalog.Reference reference) {
        encoded.addToReferences(metadata(reference.eReference()));
      } else if (feature instanceof Catalog.Derived derived) {
        var d = derived.declaration();
        encoded.addToAttributes(
            new SlotMetadata(d.name(), d.valueType(), d.many(), d.ordered(), d.unique()));
      }
    }
    return encoded;
  }

  private static SlotMetadata metadata(EStructuralFeature feature) {
    return new SlotMetadata(
        feature.getName(),
        feature.getEType().getName(),
        feature.isMany(),
        feature.isOrdered(),
        feature.isUnique());
  }
}
