package org.modelstress.hawk.index;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.set.mutable.primitive.LongHashSet;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.catalog.Values;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.GraphWriter;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.hawk.query.AccessListener;
import org.modelstress.hawk.query.Derivation;
import org.modelstress.hawk.query.GraphTokens;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.FailedQueryException;
import org.modelstress.queries.InvalidQueryException;

/**
 * Values of derived attributes during one update: computes them, records what each computation
 * read, and computes those anew whose reads were touched. A derived attribute may read another one,
 * or its own value of another element.
 *
 * <p>Reading is recorded as an edge to every element and type whose state was read, and the names
 * of the features together: a touched feature of an element concerns the computations with an edge
 * to the element and this name.
 */
final class DerivedValues {
  /** A value may depend on others through so many steps; what goes on longer is a circle. */
  private static final int MOST_ROUNDS = 1_000;

  /** Values per transaction, so that memory is bounded. */
  private static final int BATCH = 5_000;

  private final Graph graph;
  private final GraphWriter writer;
  private final Catalog catalog;
  private final Cancellation cancellation;
  private final Map<AttributeDeclaration, Derivation> logics = new HashMap<>();
  private final LongHashSet outdated = new LongHashSet();
  // nodes of values that could not be computed, as far as they were not computed later
  private final LongHashSet failed = new LongHashSet();
  private final Map<AttributeDeclaration, Integer> undefined = new HashMap<>();
  private final Reads reads = new Reads();
  private final int readsLabel;
  private final int ofType;
  private final int name;
  private final int value;
  private final int features;
  private final int failure;
  private int computed;

  /**
   * For the declarations of a catalog, to be computed to the end.
   *
   * @throws IllegalArgumentException if the logic of one is malformed
   */
  DerivedValues(Graph graph, GraphWriter writer, Catalog catalog) {
    this(graph, writer, catalog, new Cancellation());
  }

  /** The same, whose computing ends with a CancelledSignal once it is cancelled. */
  DerivedValues(Graph graph, GraphWriter writer, Catalog catalog, Cancellation cancellation) {
    this.cancellation = cancellation;
    this.graph = graph;
    this.writer = writer;
    this.catalog = catalog;
    this.readsLabel = graph.label(Layout.READS);
    this.ofType = graph.label(Layout.OF_TYPE);
    this.name = graph.key(Layout.NAME);
    this.value = graph.key(Layout.VALUE);
    this.features = graph.key(Layout.FEATURES);
    this.failure = graph.key(Layout.FAILURE);
    GraphTokens tokens = new GraphTokens(graph, catalog);
    for (AttributeDeclaration declaration : catalog.declarations()) {
      if (declaration.kind() == AttributeDeclaration.Kind.DERIVED) {
        logics.put(declaration, parse(declaration, tokens));
      }
    }
  }

  /**
   * The parsed logic of a declaration.
   *
   * @throws IllegalArgumentException if it is malformed
   */
  static Derivation parse(AttributeDeclaration declaration, GraphTokens tokens) {
    try {
      return Derivation.parse(declaration.logic(), tokens);
    } catch (InvalidQueryException e) {
      throw new IllegalArgumentException(
          "attributes: logic of " + declaration.name() + ": " + e.getMessage(), e);
    }
  }

  /** Collects what one computation reads. */
  private static final class Reads implements AccessListener {
    private LongHashSet nodes = new LongHashSet();
    private final TreeSet<String> features = new TreeSet<>();

    @Override
    public void element(long node, String feature) {
      if (feature.equals(Layout.OF_TYPE)) {
        return; // never changes; whether the element is still reached is known from what led to it
      }
      nodes.add(node);
      features.add(feature);
    }

    @Override
    public void type(long typeNode) {
      nodes.add(typeNode);
    }

    void clear() {
      nodes = new LongHashSet();
      features.clear();
    }
  }

  /** Number of computations so far. */
  int computed() {
    return computed;
  }

  /** One sentence on the computations that failed, or null. */
  String failures() {
    return failed.isEmpty()
        ? null
        : failed.size()
            + " computations of derived attributes failed, the first: "
            + writer.property(failed.min(), failure);
  }

  /** Computes all derived attributes of a new element. */
  void computeAll(long element) {
    for (Catalog.Feature feature : typeOf(element).features().values()) {
      if (feature instanceof Catalog.Derived derived) {
        compute(element, derived);
      }
    }
  }

  private Catalog.Type typeOf(long element) {
    return catalog.at(writer.target(element, ofType));
  }

  /** Computes a derived attribute of one element, for the first time or again. */
  void compute(long element, Catalog.Derived derived) {
    reads.clear();
    computed++;
    Object result = null;
    String error = null;
    try {
      Object raw = logics.get(derived.declaration()).evaluate(writer, element, cancellation, reads);
      result = Values.stored(derived.declaration(), raw);
    } catch (FailedQueryException | IllegalArgumentException e) {
      error = derived.name() + ": " + e.getMessage();
    }
    long node = writer.target(element, derived.label());
    Object before = node == GraphReader.NONE ? null : writer.property(node, value);
    if (node == GraphReader.NONE) {
      node = create(element, derived, result, error);
    } else {
      countUndefined(derived, before == null ? -1 : 0);
      replace(node, result, error);
    }
    countUndefined(derived, result == null ? 1 : 0);
    if (error == null) {
      failed.remove(node);
    } else {
      failed.add(node);
    }
    if (!derived.declaration().many()) {
      writer.setIndexed(derived.declaration().index(), element, result);
    }
    if (isMentioned(derived.name()) && !Objects.deepEquals(before, result)) {
      touched(element, derived.name());
    }
  }

  private void countUndefined(Catalog.Derived derived, int more) {
    undefined.merge(derived.declaration(), more, Integer::sum);
  }

  /** Writes how many elements have no value; before the last commit. */
  void writeCounts() {
    LongArrayList nodes = new LongArrayList();
    writer.nodes(NodeKind.DECLARATION, nodes);
    Map<Object, Long> byText = new HashMap<>();
    nodes.forEach(node -> byText.put(writer.property(node, graph.key(Layout.JSON)), node));
    int key = graph.key(Layout.UNDEFINED);
    undefined.forEach(
        (declaration, more) -> {
          Long node = byText.get(Catalog.json(declaration));
          if (node != null && writer.property(node, key) instanceof Integer count) {
            writer.setProperty(node, key, count + more);
          }
        });
    undefined.clear();
  }

  private long create(long element, Catalog.Derived derived, Object result, String error) {
    Map<String, Object> properties = new LinkedHashMap<>();
    properties.put(Layout.NAME, derived.name());
    properties.put(Layout.FEATURES, features());
    if (result != null) {
      properties.put(Layout.VALUE, result);
    }
    if (error != null) {
      properties.put(Layout.FAILURE, error);
    }
    long node = writer.createNode(NodeKind.DERIVED, properties);
    writer.createEdge(element, derived.label(), node);
    reads.nodes.forEach(read -> writer.createEdge(node, readsLabel, read));
    return node;
  }

  private void replace(long node, Object result, String error) {
    writer.setProperty(node, value, result);
    writer.setProperty(node, failure, error);
    writer.setProperty(node, features, features());
    LongArrayList before = new LongArrayList();
    writer.targets(node, readsLabel, before);
    for (int i = 0; i < before.size(); i++) {
      if (!reads.nodes.remove(before.get(i))) {
        writer.deleteEdge(node, readsLabel, before.get(i));
      }
    }
    reads.nodes.forEach(read -> writer.createEdge(node, readsLabel, read));
  }

  private String features() {
    return String.join(",", reads.features);
  }

  /** Whether any logic can read this attribute; mostly none does, and looking is not free. */
  private boolean isMentioned(String attribute) {
    return logics.keySet().stream().anyMatch(d -> d.logic().contains(attribute));
  }

  /** A feature of an element has changed: what read it is out of date. */
  void touched(long element, String feature) {
    LongArrayList readers = new LongArrayList();
    writer.sources(element, readsLabel, readers);
    for (int i = 0; i < readers.size(); i++) {
      String read = (String) writer.property(readers.get(i), features);
      if (("," + read + ",").contains("," + feature + ",")) {
        outdated.add(readers.get(i));
      }
    }
  }

  /** The extent of a type has changed, or an element is about to vanish. */
  void touched(long typeOrElement) {
    LongArrayList readers = new LongArrayList();
    writer.sources(typeOrElement, readsLabel, readers);
    outdated.addAll(readers);
  }

  /** Deletes the values of an element that is about to vanish; its readers are out of date. */
  void delete(long element) {
    touched(element);
    for (Catalog.Feature feature : typeOf(element).features().values()) {
      if (feature instanceof Catalog.Derived derived) {
        long node = writer.target(element, derived.label());
        boolean had = node == GraphReader.NONE || writer.property(node, value) != null;
        countUndefined(derived, had ? 0 : -1);
        delete(element, derived.label());
      }
    }
  }

  /** Deletes one value of an element, if it has it. */
  void delete(long element, int label) {
    long node = writer.target(element, label);
    if (node != GraphReader.NONE) {
      outdated.remove(node);
      failed.remove(node);
      writer.deleteNode(node);
    }
  }

  /**
   * Computes what is out of date, and what comes out of date by that; commits now and then.
   *
   * @return how many values that was
   */
  int refresh() {
    int before = computed;
    for (int round = 0; !outdated.isEmpty(); round++) {
      long[] nodes = outdated.toSortedArray();
      outdated.clear();
      if (round == MOST_ROUNDS) {
        for (long node : nodes) {
          giveUp(node);
        }
        return computed - before;
      }
      for (int i = 0; i < nodes.length; i++) {
        recompute(nodes[i]);
        if (i % BATCH == BATCH - 1) {
          writer.commit();
        }
      }
    }
    return computed - before;
  }

  private void giveUp(long node) {
    Catalog.Derived derived = derived(node);
    countUndefined(derived, writer.property(node, value) == null ? 0 : 1);
    writer.setProperty(node, value, null);
    writer.setProperty(node, failure, derived.name() + ": its value depends on itself");
    failed.add(node);
    if (!derived.declaration().many()) {
      writer.setIndexed(derived.declaration().index(), element(node), null);
    }
  }

  private void recompute(long node) {
    compute(element(node), derived(node));
  }

  private long element(long node) {
    String attribute = (String) writer.property(node, name);
    return writer.source(node, graph.label(Layout.derived(attribute)));
  }

  private Catalog.Derived derived(long node) {
    var attribute = (String) writer.property(node, name);
    return (Catalog.Derived) typeOf(element(node)).features().get(attribute);
  }
}
