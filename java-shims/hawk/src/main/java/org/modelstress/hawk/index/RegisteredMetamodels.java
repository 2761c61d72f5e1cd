package org.modelstress.hawk.index;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EPackage;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.catalog.Metamodel;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.GraphWriter;
import org.modelstress.hawk.graph.NodeKind;

/** Adds metamodels to a graph and takes them away; a refusal leaves the graph as it was. */
final class RegisteredMetamodels {
  /** Characters of one as XMI, and of all that there are: they stay in memory. */
  private static final int LONGEST = 4 << 20;

  private static final int MOST = 8 << 20;

  /** How many there are at most: each is read again when one is registered. */
  private static final int MOST_METAMODELS = 500;

  private RegisteredMetamodels() {}

  /**
   * Adds a metamodel.
   *
   * @param begin run before anything becomes durable
   * @return its namespace URI
   * @throws IllegalArgumentException if it is not one, or one with its nsURI is registered
   */
  static String add(String ecore, Graph graph, Catalog catalog, Runnable begin) {
    checkSize(ecore, graph);
    EPackage ePackage = Metamodel.parse(ecore, catalog.metamodels());
    for (EClass eClass : Metamodel.classes(ePackage)) {
      String nsUri = eClass.getEPackage().getNsURI();
      if (isKnown(catalog, nsUri)) {
        throw new IllegalArgumentException("metamodel " + nsUri + " is registered already");
      }
    }
    if (isKnown(catalog, ePackage.getNsURI())) {
      throw new IllegalArgumentException(
          "metamodel " + ePackage.getNsURI() + " is registered already");
    }
    try (GraphWriter writer = graph.write()) {
      write(ePackage, graph, catalog, writer);
      Catalog.read(graph, writer); // what cannot be read again is refused here
      begin.run();
      writer.commit();
    }
    return ePackage.getNsURI();
  }

  private static void checkSize(String ecore, Graph graph) {
    long all = ecore.length();
    LongArrayList nodes = new LongArrayList();
    try (GraphReader reader = graph.read()) {
      reader.nodes(NodeKind.METAMODEL, nodes);
      for (int i = 0; i < nodes.size(); i++) {
        all += ((String) reader.property(nodes.get(i), graph.key(Layout.ECORE))).length();
      }
    }
    if (ecore.length() > LONGEST || all > MOST || nodes.size() >= MOST_METAMODELS) {
      throw new IllegalArgumentException(
          "metamodel has "
              + ecore.length()
              + " characters, beside "
              + nodes.size()
              + " others; one has at most "
              + LONGEST
              + ", all "
              + MOST
              + " in at most "
              + MOST_METAMODELS);
    }
  }

  private static boolean isKnown(Catalog catalog, String nsUri) {
    return catalog.metamodels().stream().anyMatch(m -> m.getNsURI().equals(nsUri))
        || catalog.types().stream().anyMatch(isOf(nsUri));
  }

  private static Predicate<Catalog.Type> isOf(String nsUri) {
    return type -> type.eClass().getEPackage().getNsURI().equals(nsUri);
  }

  private static void write(EPackage ePackage, Graph graph, Catalog catalog, GraphWriter writer) {
    long metamodel =
        writer.createNode(NodeKind.METAMODEL, ModelIndexer.metamodelProperties(ePackage));
    Map<EClass, Long> types = new HashMap<>();
    catalog.types().forEach(type -> types.put(type.eClass(), type.node()));
    for (EClass eClass : Metamodel.classes(ePackage)) {
      types.put(eClass, writer.createNode(NodeKind.TYPE, ModelIndexer.typeProperties(eClass)));
    }
    for (EClass eClass : Metamodel.classes(ePackage)) {
      long node = types.get(eClass);
      writer.createEdge(node, graph.label(Layout.IN_METAMODEL), metamodel);
      for (EClass parent : eClass.getESuperTypes()) {
        if (types.containsKey(parent)) {
          writer.createEdge(node, graph.label(Layout.SUPERTYPE), types.get(parent));
        }
      }
    }
  }

  /**
   * Removes a metamodel.
   *
   * @param begin run before anything becomes durable
   * @throws IllegalArgumentException if it is unknown, or has elements or declared attributes, or
   *     another metamodel refers to it
   */
  static void remove(String nsUri, Graph graph, Catalog catalog, Runnable begin) {
    if (catalog.declarations().stream().anyMatch(d -> d.metamodel().equals(nsUri))) {
      throw new IllegalArgumentException("metamodel " + nsUri + " has declared attributes");
    }
    try (GraphWriter writer = graph.write()) {
      long metamodel = find(nsUri, graph, writer);
      LongArrayList types = new LongArrayList();
      writer.sources(metamodel, graph.label(Layout.IN_METAMODEL), types);
      int ofKind = graph.label(Layout.OF_KIND);
      for (int i = 0; i < types.size(); i++) {
        if (writer.inDegree(types.get(i), ofKind) > 0) {
          throw new IllegalArgumentException("metamodel " + nsUri + " has elements");
        }
        writer.deleteNode(types.get(i));
      }
      writer.deleteNode(metamodel);
      try {
        Catalog.read(graph, writer);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "metamodel " + nsUri + " is needed by another: " + e.getMessage(), e);
      }
      begin.run();
      writer.commit();
    }
  }

  private static long find(String nsUri, Graph graph, GraphReader reader) {
    LongArrayList nodes = new LongArrayList();
    reader.nodes(NodeKind.METAMODEL, nodes);
    int key = graph.key(Layout.NS_URI);
    long found =
        nodes.detectIfNone(node -> nsUri.equals(reader.property(node, key)), GraphReader.NONE);
    if (found == GraphReader.NONE) {
      throw new IllegalArgumentException("metamodel " + nsUri + " is not registered");
    }
    return found;
  }
}
