package org.modelstress.hawk.query;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.eclipse.collections.impl.map.mutable.primitive.LongObjectHashMap;
import org.eclipse.collections.impl.set.mutable.primitive.LongHashSet;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EcorePackage;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.graph.Graph;

/** The catalog of a graph with everything looked up that evaluations need. Immutable. */
public final class GraphTokens {
  private final Graph graph;
  private final Catalog catalog;
  private final int ofType;
  private final int ofKind;
  private final int inFile;
  private final int derivedValue;
  private final Map<String, int[]> labels = new HashMap<>();
  private final LongObjectHashMap<int[]> containers = new LongObjectHashMap<>();
  // by type node: the nodes of the type and all its supertypes
  private final LongObjectHashMap<LongHashSet> kinds = new LongObjectHashMap<>();

  public GraphTokens(Graph graph, Catalog catalog) {
    this.graph = graph;
    this.catalog = catalog;
    ofType = graph.label(Layout.OF_TYPE);
    ofKind = graph.label(Layout.OF_KIND);
    inFile = graph.label(Layout.IN_FILE);
    derivedValue = graph.key(Layout.VALUE);
    for (Catalog.Type type : catalog.types()) {
      containers.put(type.node(), containersOf(type));
      LongHashSet ofType = new LongHashSet();
      catalog.types().stream().filter(type::isKindOf).forEach(kind -> ofType.add(kind.node()));
      kinds.put(type.node(), ofType);
    }
    references().forEach((name, set) -> labels.put(name, array(set)));
  }

  private Map<String, Set<Integer>> references() {
    Map<String, Set<Integer>> found = new HashMap<>();
    for (Catalog.Type type : catalog.types()) {
      for (Catalog.Feature feature : type.features().values()) {
        if (feature instanceof Catalog.Reference reference) {
          found
              .computeIfAbsent(reference.name(), name -> new LinkedHashSet<>())
              .add(reference.label());
        }
      }
    }
    return found;
  }

  private int[] containersOf(Catalog.Type contained) {
    Set<Integer> found = new LinkedHashSet<>();
    for (Catalog.Type type : catalog.types()) {
      for (Catalog.Feature feature : type.features().values()) {
        if (feature instanceof Catalog.Reference reference
            && reference.eReference().isContainment()
            && canHold(reference.eReference().getEReferenceType(), contained.eClass())) {
          found.add(reference.label());
        }
      }
    }
    return array(found);
  }

  private static boolean canHold(EClass declared, EClass contained) {
    return declared == EcorePackage.Literals.EOBJECT || declared.isSuperTypeOf(contained);
  }

  private static int[] array(Set<Integer> values) {
    return values.stream().mapToInt(Integer::intValue).toArray();
  }

  public Graph graph() {
    return graph;
  }

  public Catalog catalog() {
    return catalog;
  }

  int ofType() {
    return ofType;
  }

  int ofKind() {
    return ofKind;
  }

  int inFile() {
    return inFile;
  }

  int derivedValue() {
    return derivedValue;
  }

  /** Labels of the references with a name, of any type; empty if there is none. */
  public int[] labels(String reference) {
    return labels.getOrDefault(reference, new int[0]);
  }

  /** Whether some type has a feature with this name. */
  public boolean isFeature(String name) {
    return catalog.types().stream().anyMatch(type -> type.features().containsKey(name));
  }

  /** The type whose elements alone have a reference with this name, or null. */
  public Catalog.Type owner(String reference) {
    Set<EClass> owners = new LinkedHashSet<>();
    for (Catalog.Type type : catalog.types()) {
      if (type.features().get(reference) instanceof Catalog.Reference found) {
        owners.add(found.eReference().getEContainingClass());
      }
    }
    return owners.size() == 1 ? catalog.of(owners.iterator().next()) : null;
  }

  /** Labels of the references that can contain elements of a type. */
  int[] containers(Catalog.Type type) {
    return containers.get(type.node());
  }

  /** Whether every instance of a type is one of the other. */
  public boolean isKindOf(Catalog.Type type, Catalog.Type other) {
    return type != null && (type == other || kinds.get(type.node()).contains(other.node()));
  }

  /**
   * What a name means for every instance of a type; null if it means nothing or not the same for
   * all its subtypes.
   */
  public Catalog.Feature feature(Catalog.Type type, String name) {
    Catalog.Feature feature = type.features().get(name);
    for (Catalog.Type sub : catalog.types()) {
      if (feature != null && isKindOf(sub, type) && !feature.equals(sub.features().get(name))) {
        return null;
      }
    }
    return feature;
  }
}
