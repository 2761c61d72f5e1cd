package org.modelstress.hawk.server.thrift;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.modelstress.hawk.api.ModelElementType;
import org.modelstress.hawk.api.QueryResult;
import org.modelstress.hawk.api.SlotMetadata;
import org.modelstress.hawk.api.SlotValue;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.hawk.query.Element;
import org.modelstress.thrift.results.ElementSource;
import org.modelstress.thrift.results.FileName;
import org.modelstress.thrift.results.SlotValues;

/** The elements of an index, read for one answer. */
final class IndexElements implements ElementSource<Element, Catalog.Type> {
  private final Catalog catalog;
  private final Graph graph;
  private final GraphReader reader;
  private final int ofType;
  private final int inFile;
  private final Map<Long, FileName> files = new HashMap<>();
  private boolean filesCounted;
  private FileName onlyFile;

  IndexElements(Catalog catalog, Graph graph, GraphReader reader) {
    this.catalog = catalog;
    this.graph = graph;
    this.reader = reader;
    ofType = graph.label(Layout.OF_TYPE);
    inFile = graph.label(Layout.IN_FILE);
  }

  @Override
  public Element element(Object value) {
    return value instanceof Element element ? element : null;
  }

  @Override
  public String id(Element element) {
    return graph.idText(element.node());
  }

  @Override
  public Catalog.Type type(Element element) {
    return catalog.at(reader.target(element.node(), ofType));
  }

  @Override
  public String metamodel(Catalog.Type type) {
    return type.eClass().getEPackage().getNsURI();
  }

  @Override
  public String name(Catalog.Type type) {
    return type.name();
  }

  @Override
  public FileName file(Element element) {
    if (!filesCounted) {
      filesCounted = true;
      LongArrayList nodes = new LongArrayList();
      reader.nodes(NodeKind.FILE, nodes);
      if (nodes.size() == 1) { // saves a step for every element
        onlyFile = fileOf(nodes.getFirst());
      }
    }
    return onlyFile == null ? fileOf(reader.target(element.node(), inFile)) : onlyFile;
  }

  private FileName fileOf(long node) {
    return files.computeIfAbsent(
        node, n -> FileName.of((String) reader.property(n, graph.key(Layout.PATH))));
  }

  @Override
  public boolean describesIdentifiers() {
    return true;
  }

  /** Attributes of the metamodel stand before derived ones. */
  @Override
  public List<Feature<Element>> features(Catalog.Type type) {
    List<Feature<Element>> features = new ArrayList<>();
    List<Feature<Element>> derived = new ArrayList<>();
    for (Catalog.Feature feature : type.features().values()) {
      String name = feature.name();
      if (feature instanceof Catalog.Attribute attribute) {
        int key = attribute.key();
        features.add(new Attribute<>(name, false, e -> value(e.node(), key)));
      } else if (feature instanceof Catalog.Derived one) {
        derived.add(new Attribute<>(name, true, e -> derivedValue(e, one)));
      } else if (feature instanceof Catalog.Reference reference) {
        boolean containment = reference.eReference().isContainment();
        features.add(new Reference<>(name, containment, e -> targets(e, reference)));
      }
    }
    features.addAll(derived);
    return features;
  }

  private SlotValue value(long node, int key) {
    Object value = reader.property(node, key);
    return value == null ? null : SlotValues.of(value);
  }

  private SlotValue derivedValue(Element element, Catalog.Derived derived) {
    long holder = reader.target(element.node(), derived.label());
    return holder == GraphReader.NONE ? null : value(holder, graph.key(Layout.VALUE));
  }

  private List<Element> targets(Element element, Catalog.Reference reference) {
    LongArrayList nodes = new LongArrayList();
    reader.targets(element.node(), reference.label(), nodes);
    return elements(nodes);
  }

  /** The elements at these nodes. */
  static List<Element> elements(LongArrayList nodes) {
    List<Element> elements = new ArrayList<>(nodes.size());
    nodes.forEach(node -> elements.add(new Element(node)));
    return elements;
  }

  @Override
  public QueryResult other(Object value) {
    return value instanceof Catalog.Type type
        ? QueryResult.vModelElementType(encodeType(type))
        : QueryResult.vString(String.valueOf(value));
  }

  /** Thrift's keys are text: of an element its identifier. */
  @Override
  public String key(Object key) {
    if (key instanceof Element element) {
      return id(element);
    }
    return key instanceof Catalog.Type type ? type.name() : String.valueOf(key);
  }

  private ModelElementType encodeType(Catalog.Type type) {
    ModelElementType encoded =
        new ModelElementType(graph.idText(type.node()), metamodel(type), type.name());
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
