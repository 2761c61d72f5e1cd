package org.modelstress.hawk.index;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EReference;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.catalog.Metamodel;
import org.modelstress.hawk.catalog.Values;
import org.modelstress.hawk.graph.GraphLoader;
import org.modelstress.hawk.graph.NodeKind;

/**
 * Turns a model into nodes and edges: metamodel, types, file and elements, everything but declared
 * attributes. References whose target is outside the model are left out.
 */
public final class ModelIndexer {
  private final GraphLoader loader;
  private final Map<EClass, Long> types = new LinkedHashMap<>();
  private final Map<EObject, Long> nodes = new IdentityHashMap<>();
  private final Map<EReference, Integer> labels = new HashMap<>();

  private ModelIndexer(GraphLoader loader) {
    this.loader = loader;
  }

  /**
   * Indexes a model.
   *
   * @param path and hash of the file it came from
   * @param progress told how many elements have their node and edges, now and then
   * @return node of every element in containment order, the root first
   */
  public static LongArrayList index(
      EObject root, String path, String sha256, GraphLoader loader, LongConsumer progress) {
    ModelIndexer indexer = new ModelIndexer(loader);
    EPackage metamodel = root.eClass().getEPackage();
    long metamodelNode = indexer.metamodel(metamodel);
    long file = loader.createNode(NodeKind.FILE, Map.of(Layout.PATH, path, Layout.SHA256, sha256));
    List<EObject> elements = new ArrayList<>();
    elements.add(root);
    root.eAllContents().forEachRemaining(elements::add);
    LongArrayList created = new LongArrayList(elements.size());
    for (EObject element : elements) {
      long node = loader.createNode(NodeKind.ELEMENT, attributes(element));
      indexer.nodes.put(element, node);
      created.add(node);
    }
    indexer.typeEdges(metamodelNode);
    for (int i = 0; i < elements.size(); i++) {
      indexer.edges(elements.get(i), created.get(i), file);
      if (i % 1000 == 0) {
        progress.accept(i);
      }
    }
    return created;
  }

  private long metamodel(EPackage metamodel) {
    long node =
        loader.createNode(
            NodeKind.METAMODEL,
            Map.of(Layout.NS_URI, metamodel.getNsURI(), Layout.ECORE, Metamodel.text(metamodel)));
    for (EClassifier classifier : metamodel.getEClassifiers()) {
      if (classifier instanceof EClass eClass) {
        types.put(
            eClass,
            loader.createNode(
                NodeKind.TYPE,
                Map.of(Layout.NS_URI, metamodel.getNsURI(), Layout.NAME, eClass.getName())));
      }
    }
    return node;
  }

  private void typeEdges(long metamodelNode) {
    int inMetamodel = loader.label(Layout.IN_METAMODEL);
    int supertype = loader.label(Layout.SUPERTYPE);
    types.forEach(
        (eClass, node) -> {
          loader.createEdge(node, inMetamodel, metamodelNode);
          for (EClass parent : eClass.getESuperTypes()) {
            if (types.containsKey(parent)) {
              loader.createEdge(node, supertype, types.get(parent));
            }
          }
        });
  }

  /** The attributes that are set, as the graph stores them. */
  static Map<String, Object> attributes(EObject element) {
    Map<String, Object> values = new LinkedHashMap<>();
    for (EAttribute attribute : element.eClass().getEAllAttributes()) {
      if (element.eIsSet(attribute)) {
        Object value = Values.stored(attribute, element.eGet(attribute));
        if (value != null) {
          values.put(attribute.getName(), value);
        }
      }
    }
    return values;
  }

  private void edges(EObject element, long node, long file) {
    EClass eClass = element.eClass();
    loader.createEdge(node, loader.label(Layout.OF_TYPE), types.get(eClass));
    loader.createEdge(node, loader.label(Layout.OF_KIND), types.get(eClass));
    for (EClass parent : eClass.getEAllSuperTypes()) {
      if (types.containsKey(parent)) {
        loader.createEdge(node, loader.label(Layout.OF_KIND), types.get(parent));
      }
    }
    loader.createEdge(node, loader.label(Layout.IN_FILE), file);
    for (EReference reference : eClass.getEAllReferences()) {
      if (element.eIsSet(reference)) {
        int label = labels.computeIfAbsent(reference, r -> loader.label(Layout.label(r)));
        Object value = element.eGet(reference);
        Iterator<?> targets =
            value instanceof List<?> list ? list.iterator() : List.of(value).iterator();
        while (targets.hasNext()) {
          Long target = nodes.get(targets.next());
          if (target != null) {
            loader.createEdge(node, label, target);
          }
        }
      }
    }
  }
}
