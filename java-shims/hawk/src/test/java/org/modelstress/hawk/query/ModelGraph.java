package org.modelstress.hawk.query;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.emf.ecore.EObject;
import org.modelstress.hawk.MemoryGraph;
import org.modelstress.hawk.Sources;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.catalog.Values;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.GraphWriter;
import org.modelstress.hawk.graph.IndexType;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.hawk.index.ModelIndexer;
import org.modelstress.models.ElementIndex;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;

/** A model in a graph in memory, with declared attributes computed by {@link Derivation}. */
final class ModelGraph {
  static final String TRAIN = "http://www.semanticweb.org/ontologies/2015/trainbenchmark";

  final MemoryGraph graph = new MemoryGraph();
  final Catalog catalog;
  final LongArrayList nodes;
  final ElementIndex index;

  ModelGraph(EObject root, AttributeDeclaration... declarations) {
    index = new ElementIndex(root);
    Path path = Path.of("/models/train.xmi");
    nodes = ModelIndexer.index(path, Sources.of(path, root), graph);
    for (AttributeDeclaration declaration : declarations) {
      declare(declaration);
    }
    catalog = Catalog.read(graph);
  }

  static AttributeDeclaration indexed(String metamodel, String type, String name) {
    return new AttributeDeclaration(
        AttributeDeclaration.Kind.INDEXED,
        metamodel,
        type,
        name,
        null,
        false,
        false,
        false,
        null,
        null);
  }

  static AttributeDeclaration derived(
      String metamodel, String type, String name, String valueType, String logic) {
    return new AttributeDeclaration(
        AttributeDeclaration.Kind.DERIVED,
        metamodel,
        type,
        name,
        valueType,
        false,
        false,
        false,
        "EOL",
        logic);
  }

  static AttributeDeclaration[] train() {
    return new AttributeDeclaration[] {
      indexed(TRAIN, "Segment", "length"),
      derived(
          TRAIN,
          "Sensor",
          "nMonitoredSegments",
          "Integer",
          "self.monitors.select(e | e.isKindOf(Segment)).size()"),
      derived(TRAIN, "Switch", "isMonitored", "Boolean", "not self.monitoredBy.isEmpty()")
    };
  }

  private void declare(AttributeDeclaration declaration) {
    graph.createNode(NodeKind.DECLARATION, Map.of(Layout.JSON, Catalog.json(declaration)));
    Catalog now = Catalog.read(graph);
    Catalog.Type type =
        now.named(declaration.type()).stream()
            .filter(t -> t.eClass().getEPackage().getNsURI().equals(declaration.metamodel()))
            .findFirst()
            .orElseThrow();
    Catalog.Feature feature = type.features().get(declaration.name());
    IndexType indexType =
        feature instanceof Catalog.Attribute attribute
            ? Values.indexType(attribute.eAttribute())
            : declaration.indexType();
    graph.createIndex(declaration.index(), indexType);
    LongArrayList extent = new LongArrayList();
    try (GraphWriter writer = graph.write()) {
      writer.sources(type.node(), graph.label(Layout.OF_KIND), extent);
      for (int i = 0; i < extent.size(); i++) {
        writer.setIndexed(
            declaration.index(), extent.get(i), value(now, writer, extent.get(i), feature));
      }
      writer.commit();
    }
  }

  private Object value(Catalog now, GraphWriter writer, long node, Catalog.Feature feature) {
    if (feature instanceof Catalog.Attribute attribute) {
      Object stored = writer.property(node, attribute.key());
      return stored == null ? attribute.fallback() : stored;
    }
    try {
      String logic = ((Catalog.Derived) feature).declaration().logic();
      Object value =
          Derivation.parse(logic, new GraphTokens(graph, now))
              .evaluate(writer, node, new Accesses());
      Map<String, Object> properties = new LinkedHashMap<>();
      if (value != null) {
        properties.put(Layout.VALUE, value);
      }
      writer.createEdge(
          node,
          ((Catalog.Derived) feature).label(),
          writer.createNode(NodeKind.DERIVED, properties));
      return value;
    } catch (InvalidQueryException | FailedQueryException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Everything that was read, as text. */
  static final class Accesses implements AccessListener {
    final List<String> read = new ArrayList<>();

    @Override
    public void element(long node, String feature) {
      read.add(node + "." + feature);
    }

    @Override
    public void type(long typeNode) {
      read.add("type " + typeNode);
    }
  }

  /** Elements become their index in the model, types their name, collections lists. */
  Object plain(Object value) {
    if (value instanceof Element element) {
      return "e" + nodes.indexOf(element.node());
    }
    if (value instanceof Catalog.Type type) {
      return type.name();
    }
    if (value instanceof Collection<?> collection) {
      List<Object> list = new ArrayList<>();
      collection.forEach(each -> list.add(plain(each)));
      return list;
    }
    if (value instanceof Map<?, ?> map) {
      Map<Object, Object> plain = new LinkedHashMap<>();
      map.forEach((key, each) -> plain.put(plain(key), plain(each)));
      return plain;
    }
    return value;
  }

  Object run(Fidelity fidelity, Language language, String text) throws Exception {
    return run(new QueryEngine(graph, catalog, fidelity), language, text, QueryScope.ALL);
  }

  Object run(QueryEngine engine, Language language, String text, QueryScope scope)
      throws Exception {
    return engine.run(
        language,
        text,
        scope,
        new Cancellation(),
        (Object result, GraphReader reader) -> plain(result));
  }
}
