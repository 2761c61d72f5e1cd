package org.modelstress.hawk.query;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.set.mutable.primitive.LongHashSet;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.graph.Comparison;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.queries.Cancellation;

/** What one evaluation reads of the graph, told to a listener if there is one. For one thread. */
public final class GraphAccess {
  /** Begin of the names that follow a reference backwards. */
  public static final String REVERSE = "revRefNav_";

  /** The element that contains this one. */
  public static final String CONTAINER = "eContainer";

  /** The elements that this one contains. */
  public static final String CONTENTS = "eContents";

  private final GraphTokens tokens;
  private final GraphReader reader;
  private final AccessListener listener;
  private final Cancellation cancellation;
  private final LongHashSet files;
  private final Neighbours neighbours;

  /**
   * Access for one evaluation.
   *
   * @param listener null if nobody wants to know
   */
  public GraphAccess(
      GraphTokens tokens,
      GraphReader reader,
      QueryScope scope,
      Cancellation cancellation,
      AccessListener listener) {
    this.tokens = tokens;
    this.reader = reader;
    this.cancellation = cancellation;
    this.listener = listener;
    this.neighbours = new Neighbours(reader);
    this.files = scope.filePatterns().isEmpty() ? null : files(scope.filePatterns());
  }

  /** Names, types and their tokens. */
  public GraphTokens tokens() {
    return tokens;
  }

  /**
   * One step of the evaluation.
   *
   * @throws CancelledSignal if the query was cancelled
   */
  public void step() {
    if (cancellation.isCancelled()) {
      throw CancelledSignal.instance();
    }
  }

  /** Whether the query was cancelled. */
  public boolean isCancelled() {
    return cancellation.isCancelled();
  }

  /** Whether somebody is told what is read. */
  public boolean isObserved() {
    return listener != null;
  }

  private LongHashSet files(List<String> patterns) {
    Pattern any =
        Pattern.compile(
            patterns.stream()
                .map(p -> Pattern.quote(p).replace("*", "\\E.*\\Q"))
                .collect(Collectors.joining("|")));
    LongArrayList all = new LongArrayList();
    reader.nodes(NodeKind.FILE, all);
    int path = tokens.graph().key(Layout.PATH);
    LongHashSet matching = new LongHashSet();
    all.forEach(
        file -> {
          if (any.matcher(String.valueOf(reader.property(file, path))).matches()) {
            matching.add(file);
          }
        });
    return matching;
  }

  /** Whether the scope has an element. */
  public boolean inScope(long node) {
    return files == null || files.contains(reader.target(node, tokens.inFile()));
  }

  /** The elements of a type and its subtypes in containment order. */
  public LongArrayList extent(Catalog.Type type) {
    return instances(type, tokens.ofKind());
  }

  /** The elements of exactly this type in containment order. */
  public LongArrayList exactExtent(Catalog.Type type) {
    return instances(type, tokens.ofType());
  }

  private LongArrayList instances(Catalog.Type type, int label) {
    step();
    if (listener != null) {
      listener.type(type.node());
    }
    LongArrayList found = new LongArrayList();
    reader.sources(type.node(), label, found);
    return ordered(scoped(found));
  }

  /** All elements, whatever their type. */
  public LongArrayList everything() {
    step();
    if (listener != null) {
      tokens.catalog().types().forEach(type -> listener.type(type.node()));
    }
    LongArrayList found = new LongArrayList();
    reader.nodes(NodeKind.ELEMENT, found);
    return ordered(scoped(found));
  }

  private LongArrayList scoped(LongArrayList nodes) {
    return files == null ? nodes : nodes.select(this::inScope);
  }

  /** Nodes are created in containment order; databases return them in any. */
  private static LongArrayList ordered(LongArrayList nodes) {
    int size = nodes.size();
    for (int i = 1; i < size; i++) {
      if (nodes.get(i - 1) > nodes.get(i)) {
        return nodes.sortThis();
      }
    }
    return nodes;
  }

  /** The exact type of an element. */
  public Catalog.Type typeOf(long node) {
    if (listener != null) {
      listener.element(node, Layout.OF_TYPE);
    }
    return exactType(node);
  }

  /** The type that decides what a name means; a type does not change while its element lives. */
  private Catalog.Type exactType(long node) {
    return tokens.catalog().at(reader.target(node, tokens.ofType()));
  }

  /** Whether an element is of a type or one of its subtypes. */
  public boolean isKindOf(long node, Catalog.Type type) {
    return tokens.isKindOf(typeOf(node), type);
  }

  /**
   * What a name means for an element.
   *
   * @return null if it means nothing
   */
  public Catalog.Feature feature(long node, String name) {
    Catalog.Type type = exactType(node);
    return type == null ? null : type.features().get(name);
  }

  /** The value of a feature: null, a value, an {@link Element} or a list. */
  public Object get(long node, Catalog.Feature feature) {
    if (feature instanceof Catalog.Attribute attribute) {
      return value(node, attribute);
    }
    if (feature instanceof Catalog.Reference reference) {
      return reference.eReference().isMany()
          ? new NodeList(targets(node, reference))
          : element(target(node, reference));
    }
    return value(node, (Catalog.Derived) feature);
  }

  private static Element element(long node) {
    return node == GraphReader.NONE ? null : new Element(node);
  }

  /** The value of an attribute or its default. */
  public Object value(long node, Catalog.Attribute attribute) {
    if (listener != null) {
      listener.element(node, attribute.name());
    }
    Object stored = reader.property(node, attribute.key());
    if (stored == null) {
      return attribute.eAttribute().isMany() ? new ArrayList<>() : attribute.fallback();
    }
    return attribute.eAttribute().isMany() ? list(stored) : stored;
  }

  /** The value of a derived attribute, null when it is undefined. */
  public Object value(long node, Catalog.Derived derived) {
    if (listener != null) {
      listener.element(node, derived.name());
    }
    long holder = reader.target(node, derived.label());
    Object stored =
        holder == GraphReader.NONE ? null : reader.property(holder, tokens.derivedValue());
    if (!derived.declaration().many()) {
      return stored;
    }
    return stored == null ? new ArrayList<>() : list(stored);
  }

  private static List<Object> list(Object array) {
    int length = Array.getLength(array);
    List<Object> list = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      list.add(Array.get(array, i));
    }
    return list;
  }

  /** The target of a reference, or {@link GraphReader#NONE}. */
  public long target(long node, Catalog.Reference reference) {
    if (listener != null) {
      listener.element(node, reference.name());
    }
    return reader.target(node, reference.label());
  }

  /** The targets of a reference; nobody may change the list. */
  public LongArrayList targets(long node, Catalog.Reference reference) {
    if (listener != null) {
      listener.element(node, reference.name());
    }
    return neighbours.targets(node, reference.label());
  }

  /** The elements that refer to this one by a reference of this name; not to be changed. */
  public LongArrayList sources(long node, String reference) {
    if (listener != null) {
      listener.element(node, REVERSE + reference);
    }
    int[] labels = tokens.labels(reference);
    if (labels.length == 1) {
      return neighbours.sources(node, labels[0]);
    }
    LongArrayList found = new LongArrayList();
    for (int label : labels) {
      found.addAll(neighbours.sources(node, label));
    }
    return found;
  }

  /** The element that contains this one, or {@link GraphReader#NONE}. */
  public long container(long node) {
    if (listener != null) {
      listener.element(node, CONTAINER);
    }
    Catalog.Type type = exactType(node);
    if (type != null) {
      for (int label : tokens.containers(type)) {
        long found = reader.source(node, label);
        if (found != GraphReader.NONE) {
          return found;
        }
      }
    }
    return GraphReader.NONE;
  }

  /** The elements that this one contains. */
  public LongArrayList contents(long node) {
    if (listener != null) {
      listener.element(node, CONTENTS);
    }
    LongArrayList found = new LongArrayList();
    Catalog.Type type = exactType(node);
    if (type != null) {
      for (Catalog.Feature feature : type.features().values()) {
        if (feature instanceof Catalog.Reference reference
            && reference.eReference().isContainment()) {
          reader.targets(node, reference.label(), found);
        }
      }
    }
    return found;
  }

  /**
   * The elements of a type whose entry in an index compares so with the value, in containment
   * order; costs as much as there are entries found.
   */
  public LongArrayList lookup(
      String index, Comparison comparison, Object value, Catalog.Type type, boolean ofType) {
    step();
    LongArrayList found = new LongArrayList();
    reader.lookup(index, comparison, value, found);
    if (!ofType) {
      found = found.select(node -> tokens.isKindOf(exactType(node), type));
    }
    return ordered(scoped(found));
  }

  /** A node as the database prints it. */
  public String idText(long node) {
    return tokens.graph().idText(node);
  }
}
