package org.modelstress.hawk.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.collections.impl.map.mutable.primitive.LongObjectHashMap;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.NodeKind;

/**
 * What the graph holds, read once: metamodels, types with their nodes and features, and attribute
 * declarations, with the graph's tokens beside them. Immutable; read anew when one of these
 * changes.
 */
public final class Catalog {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /**
   * A class of a metamodel.
   *
   * @param node its type node
   * @param features attributes, references and derived attributes of the class and its supertypes
   */
  public record Type(EClass eClass, long node, Map<String, Feature> features) {
    /** Simple name of the class. */
    public String name() {
      return eClass.getName();
    }

    /** Whether every instance of this type is an instance of the other. */
    public boolean isKindOf(Type other) {
      return other.eClass.isSuperTypeOf(eClass);
    }
  }

  /** Something that {@code element.name} can mean. */
  public sealed interface Feature {
    /** Its name. */
    String name();
  }

  /**
   * An attribute of the metamodel.
   *
   * @param key token of its property
   * @param fallback value of an element without the property, null if there is none
   */
  public record Attribute(String name, EAttribute eAttribute, int key, Object fallback)
      implements Feature {}

  /**
   * A reference of the metamodel.
   *
   * @param label token of its edges
   */
  public record Reference(String name, EReference eReference, int label) implements Feature {}

  /**
   * A derived attribute.
   *
   * @param label token of the edge from element to derived-attribute node
   */
  public record Derived(String name, AttributeDeclaration declaration, int label)
      implements Feature {}

  private final List<EPackage> metamodels;
  private final List<AttributeDeclaration> declarations;
  private final Set<AttributeDeclaration> complete;
  private final Map<EClass, Type> types = new LinkedHashMap<>();
  private final LongObjectHashMap<Type> byNode = new LongObjectHashMap<>();
  private final Map<String, List<Type>> byName = new HashMap<>();

  private Catalog(
      List<EPackage> metamodels,
      List<AttributeDeclaration> declarations,
      Set<AttributeDeclaration> complete) {
    this.complete = complete;
    this.metamodels = Collections.unmodifiableList(metamodels);
    this.declarations = Collections.unmodifiableList(declarations);
  }

  /**
   * Reads the catalog of a graph.
   *
   * @throws IllegalArgumentException if what the graph holds is not understood
   */
  public static Catalog read(Graph graph) {
    try (GraphReader reader = graph.read()) {
      return read(graph, reader);
    }
  }

  /** As {@link #read(Graph)}, inside a transaction. */
  public static Catalog read(Graph graph, GraphReader reader) {
    List<String> texts = new ArrayList<>();
    nodes(reader, NodeKind.METAMODEL)
        .forEach(node -> texts.add((String) reader.property(node, graph.key(Layout.ECORE))));
    List<EPackage> metamodels = Metamodel.parse(texts, List.of());
    List<AttributeDeclaration> declarations = new ArrayList<>();
    Set<AttributeDeclaration> complete = new HashSet<>();
    nodes(reader, NodeKind.DECLARATION)
        .forEach(
            node -> {
              var json = (String) reader.property(node, graph.key(Layout.JSON));
              AttributeDeclaration declaration = parse(json);
              declarations.add(declaration);
              Object undefined = reader.property(node, graph.key(Layout.UNDEFINED));
              if (undefined instanceof Integer count && count == 0) {
                complete.add(declaration);
              }
            });
    Catalog catalog = new Catalog(metamodels, declarations, complete);
    catalog.readTypes(graph, reader);
    return catalog;
  }

  private static LongArrayList nodes(GraphReader reader, NodeKind kind) {
    LongArrayList nodes = new LongArrayList();
    reader.nodes(kind, nodes);
    return nodes.sortThis();
  }

  /** A declaration as its node keeps it. */
  public static String json(AttributeDeclaration declaration) {
    try {
      return MAPPER.writeValueAsString(declaration);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static AttributeDeclaration parse(String json) {
    try {
      return MAPPER.readValue(json, AttributeDeclaration.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a declaration in the index is not understood", e);
    }
  }

  private void readTypes(Graph graph, GraphReader reader) {
    LongArrayList nodes = new LongArrayList();
    reader.nodes(NodeKind.TYPE, nodes);
    Map<String, Long> known = new HashMap<>();
    nodes.forEach(
        node ->
            known.put(
                reader.property(node, graph.key(Layout.NS_URI))
                    + "#"
                    + reader.property(node, graph.key(Layout.NAME)),
                node));
    for (EPackage metamodel : metamodels) {
      for (EClass eClass : Metamodel.classes(metamodel)) {
        Long node = known.get(eClass.getEPackage().getNsURI() + "#" + eClass.getName());
        if (node != null) {
          add(new Type(eClass, node, features(graph, eClass)));
        }
      }
    }
  }

  private void add(Type type) {
    types.put(type.eClass(), type);
    byNode.put(type.node(), type);
    byName.computeIfAbsent(type.name(), name -> new ArrayList<>()).add(type);
  }

  private Map<String, Feature> features(Graph graph, EClass eClass) {
    Map<String, Feature> features = new LinkedHashMap<>();
    for (EStructuralFeature feature : eClass.getEAllStructuralFeatures()) {
      String name = feature.getName();
      if (feature instanceof EAttribute attribute) {
        Object fallback = Values.stored(attribute, attribute.getDefaultValue());
        features.put(name, new Attribute(name, attribute, graph.key(name), fallback));
      } else {
        EReference reference = (EReference) feature;
        features.put(name, new Reference(name, reference, graph.label(Layout.label(reference))));
      }
    }
    for (AttributeDeclaration declaration : declarations) {
      if (declaration.kind() == AttributeDeclaration.Kind.DERIVED
          && holdsFor(declaration, eClass)) {
        String name = declaration.name();
        features.put(name, new Derived(name, declaration, graph.label(Layout.derived(name))));
      }
    }
    return features;
  }

  /** Whether instances of a class have a declared attribute. */
  public static boolean holdsFor(AttributeDeclaration declaration, EClass eClass) {
    return isOf(declaration, eClass)
        || eClass.getEAllSuperTypes().stream().anyMatch(c -> isOf(declaration, c));
  }

  private static boolean isOf(AttributeDeclaration declaration, EClass eClass) {
    return declaration.type().equals(eClass.getName())
        && declaration.metamodel().equals(eClass.getEPackage().getNsURI());
  }

  /** The metamodels, in the order in which they were registered. */
  public List<EPackage> metamodels() {
    return metamodels;
  }

  /** The declared attributes. */
  public List<AttributeDeclaration> declarations() {
    return declarations;
  }

  /** Whether every element that has a derived attribute has a value of it. */
  public boolean isComplete(AttributeDeclaration declaration) {
    return complete.contains(declaration);
  }

  /** All types. */
  public Collection<Type> types() {
    return Collections.unmodifiableCollection(types.values());
  }

  /** The types with a simple name, one for each metamodel that has one. */
  public List<Type> named(String name) {
    return byName.getOrDefault(name, List.of());
  }

  /** The type with a namespace URI and simple name, or null. */
  public Type type(String nsUri, String name) {
    for (Type type : named(name)) {
      if (type.eClass().getEPackage().getNsURI().equals(nsUri)) {
        return type;
      }
    }
    return null;
  }

  /** The type of a class, or null. */
  public Type of(EClass eClass) {
    return types.get(eClass);
  }

  /** The type of a type node, or null. */
  public Type at(long node) {
    return byNode.get(node);
  }

  /**
   * The declarations whose index holds an attribute of a type: those of the type itself and of its
   * supertypes, whose indices hold instances of other types too.
   */
  public List<AttributeDeclaration> indicesOf(Type type, String attribute) {
    return declarations.stream()
        .filter(d -> d.name().equals(attribute) && !d.many() && holdsFor(d, type.eClass()))
        .toList();
  }
}
