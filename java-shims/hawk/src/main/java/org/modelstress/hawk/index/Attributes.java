package org.modelstress.hawk.index;

import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.AttributeDeclaration.Kind;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.catalog.Values;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.GraphWriter;
import org.modelstress.hawk.graph.IndexType;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.hawk.query.CancelledSignal;
import org.modelstress.hawk.query.GraphTokens;
import org.modelstress.hawk.query.Language;
import org.modelstress.queries.Cancellation;

/** Adds derived and indexed attributes to a graph and takes them away. */
final class Attributes {
  /** Elements per transaction: the cost of a commit does not show, and memory is bounded. */
  private static final int BATCH = 5_000;

  private Attributes() {}

  /**
   * Looks whether an attribute can be declared.
   *
   * @param others declared before it, not in the catalog yet
   * @throws IllegalArgumentException if the type or attribute is unknown, the logic is malformed or
   *     the attribute is declared already; one sentence
   */
  static void check(
      AttributeDeclaration declaration,
      List<AttributeDeclaration> others,
      Graph graph,
      Catalog catalog) {
    Catalog.Type type = catalog.type(declaration.metamodel(), declaration.type());
    if (type == null) {
      throw refused(declaration, "there is no type " + declaration.type());
    }
    Stream<AttributeDeclaration> known =
        Stream.concat(catalog.declarations().stream(), others.stream());
    if (known.anyMatch(other -> other.index().equals(declaration.index()))) {
      throw refused(declaration, "it is declared already");
    }
    if (declaration.kind() == Kind.INDEXED) {
      checkIndexed(declaration, type.features().get(declaration.name()));
      return;
    }
    for (Catalog.Type each : catalog.types()) {
      boolean taken =
          each.features().containsKey(declaration.name())
              || others.stream().anyMatch(o -> isNamed(o, declaration.name(), each));
      if (each.isKindOf(type) && taken) {
        throw refused(declaration, each.name() + " has a feature of this name");
      }
    }
    if (!isEol(declaration.language())) {
      throw refused(declaration, "its language is " + declaration.language() + " and not EOL");
    }
    declaration.indexType();
    DerivedValues.parse(declaration, new GraphTokens(graph, catalog));
  }

  /** By its name or, as clients of Hawk say it, by that of its engine. */
  private static boolean isEol(String language) {
    return Language.EOL.name().equals(language) || Language.of(language) == Language.EOL;
  }

  private static boolean isNamed(AttributeDeclaration other, String name, Catalog.Type type) {
    return other.kind() == Kind.DERIVED
        && other.name().equals(name)
        && Catalog.holdsFor(other, type.eClass());
  }

  private static void checkIndexed(AttributeDeclaration declaration, Catalog.Feature feature) {
    if (!(feature instanceof Catalog.Attribute attribute)) {
      throw refused(declaration, declaration.type() + " has no attribute of this name");
    }
    if (attribute.eAttribute().isMany()) {
      throw refused(declaration, "it holds several values");
    }
  }

  private static IllegalArgumentException refused(AttributeDeclaration declaration, String why) {
    return new IllegalArgumentException(
        "attributes: " + declaration.name() + " of " + declaration.type() + ": " + why);
  }

  /**
   * Adds attributes that were checked, one after the other, and computes them.
   *
   * @param progress told how many values are there, now and then
   * @return one sentence on computations that failed, or null
   */
  static String declare(
      List<AttributeDeclaration> declarations, Graph graph, LongConsumer progress) {
    return declare(declarations, graph, new Cancellation(), progress);
  }

  /**
   * The same, which can be cancelled.
   *
   * @throws CancelledSignal if it was; the attributes are declared and in part computed
   */
  static String declare(
      List<AttributeDeclaration> declarations,
      Graph graph,
      Cancellation cancellation,
      LongConsumer progress) {
    Catalog before = Catalog.read(graph);
    for (AttributeDeclaration declaration : declarations) {
      if (!declaration.many()) {
        graph.createIndex(declaration.index(), indexType(declaration, before));
      }
    }
    try (GraphWriter writer = graph.write()) {
      for (AttributeDeclaration declaration : declarations) {
        writer.createNode(NodeKind.DECLARATION, properties(declaration));
      }
      writer.commit();
      Catalog catalog = Catalog.read(graph, writer);
      DerivedValues derived = new DerivedValues(graph, writer, catalog, cancellation);
      long done = 0;
      for (AttributeDeclaration declaration : declarations) {
        Catalog.Type type = catalog.type(declaration.metamodel(), declaration.type());
        LongArrayList elements = new LongArrayList();
        writer.sources(type.node(), graph.label(Layout.OF_KIND), elements);
        // in the order in which the database has them
        elements.sortThis();
        for (int i = 0; i < elements.size(); i++) {
          fill(declaration, type, elements.get(i), writer, derived);
          if (++done % BATCH == 0) {
            writer.commit();
            progress.accept(done);
          }
        }
      }
      derived.refresh();
      derived.writeCounts();
      writer.commit();
      return derived.failures();
    }
  }

  private static Map<String, Object> properties(AttributeDeclaration declaration) {
    String json = Catalog.json(declaration);
    return declaration.kind() == Kind.DERIVED
        ? Map.of(Layout.JSON, json, Layout.UNDEFINED, 0)
        : Map.of(Layout.JSON, json);
  }

  private static void fill(
      AttributeDeclaration declaration,
      Catalog.Type type,
      long element,
      GraphWriter writer,
      DerivedValues derived) {
    Catalog.Feature feature = type.features().get(declaration.name());
    if (feature instanceof Catalog.Derived of) {
      derived.compute(element, of);
    } else if (feature instanceof Catalog.Attribute of) {
      writer.setIndexed(declaration.index(), element, effective(writer, element, of));
    }
  }

  private static IndexType indexType(AttributeDeclaration declaration, Catalog catalog) {
    if (declaration.kind() == Kind.DERIVED) {
      return declaration.indexType();
    }
    Catalog.Type type = catalog.type(declaration.metamodel(), declaration.type());
    var attribute = (Catalog.Attribute) type.features().get(declaration.name());
    return Values.indexType(attribute.eAttribute());
  }

  /** The value of an attribute, or its default where it is unset, as a query sees it. */
  static Object effective(GraphReader reader, long element, Catalog.Attribute attribute) {
    Object value = reader.property(element, attribute.key());
    return value == null ? attribute.fallback() : value;
  }

  /**
   * The declaration with the same kind, metamodel, type and name.
   *
   * @throws IllegalArgumentException if there is none
   */
  static AttributeDeclaration find(AttributeDeclaration like, Catalog catalog) {
    return catalog.declarations().stream()
        .filter(each -> each.kind() == like.kind() && each.index().equals(like.index()))
        .findFirst()
        .orElseThrow(() -> refused(like, "no such attribute is declared"));
  }

  /** Whether nothing with the kind, metamodel, type and name of this is declared. */
  static boolean isMissing(AttributeDeclaration like, Catalog catalog) {
    return catalog.declarations().stream()
        .noneMatch(each -> each.kind() == like.kind() && each.index().equals(like.index()));
  }

  /** Removes a declaration of the catalog, its values and its index. */
  static void withdraw(AttributeDeclaration known, Graph graph) {
    try (GraphWriter writer = graph.write()) {
      writer.deleteNode(declarationNode(known, graph, writer));
      Catalog catalog = Catalog.read(graph, writer);
      if (known.kind() == Kind.DERIVED) {
        forget(known, new DerivedValues(graph, writer, catalog), catalog, graph, writer);
      }
      writer.commit();
    }
    if (!known.many()) {
      graph.dropIndex(known.index());
    }
  }

  private static long declarationNode(
      AttributeDeclaration declaration, Graph graph, GraphReader reader) {
    LongArrayList nodes = new LongArrayList();
    reader.nodes(NodeKind.DECLARATION, nodes);
    String json = Catalog.json(declaration);
    return nodes.detectIfNone(
        node -> json.equals(reader.property(node, graph.key(Layout.JSON))), GraphReader.NONE);
  }

  private static void forget(
      AttributeDeclaration known,
      DerivedValues derived,
      Catalog catalog,
      Graph graph,
      GraphWriter writer) {
    Catalog.Type type = catalog.type(known.metamodel(), known.type());
    LongArrayList elements = new LongArrayList();
    writer.sources(type.node(), graph.label(Layout.OF_KIND), elements);
    int label = graph.label(Layout.derived(known.name()));
    for (int i = 0; i < elements.size(); i++) {
      derived.touched(elements.get(i), known.name());
      derived.delete(elements.get(i), label);
      if (i % BATCH == BATCH - 1) {
        writer.commit();
      }
    }
    derived.refresh();
    derived.writeCounts();
  }
}
