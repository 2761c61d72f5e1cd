package org.modelstress.hawk.index;

import java.nio.file.Path;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EReference;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.catalog.Metamodel;
import org.modelstress.hawk.graph.GraphLoader;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.models.ModelSource;

/**
 * Turns a model into nodes and edges: metamodels, types, files and elements, everything but
 * declared attributes. References whose target is outside the model are left out.
 */
public final class ModelIndexer {
  /** What the elements of one class have in common, looked up once. */
  private record Shape(List<EReference> references, int[] labels, long type, long[] kinds) {}

  private final GraphLoader loader;
  private final Model model;
  private final Map<EClass, Long> types = new LinkedHashMap<>();
  private final Map<EClass, Shape> shapes = new IdentityHashMap<>();
  private final LongArrayList nodes;
  private final int ofType;
  private final int ofKind;
  private final int inFile;

  private ModelIndexer(Model model, GraphLoader loader) {
    this.loader = loader;
    this.model = model;
    this.nodes = new LongArrayList(model.size());
    this.ofType = loader.label(Layout.OF_TYPE);
    this.ofKind = loader.label(Layout.OF_KIND);
    this.inFile = loader.label(Layout.IN_FILE);
  }

  /**
   * Indexes a model.
   *
   * @param path of what was read: a model file or {@code model.json}
   * @return node of every element in containment order
   */
  public static LongArrayList index(Path path, ModelSource source, GraphLoader loader) {
    return index(path, source.rootPackages(), new Model(source), loader);
  }

  static LongArrayList index(Path path, List<EPackage> packages, Model model, GraphLoader loader) {
    ModelIndexer indexer = new ModelIndexer(model, loader);
    Map<EPackage, Long> metamodels = indexer.metamodels(packages);
    long[] files =
        model.files().stream()
            .mapToLong(f -> loader.createNode(NodeKind.FILE, FileNode.properties(path, f)))
            .toArray();
    for (int i = 0; i < model.size(); i++) {
      indexer.nodes.add(loader.createNode(NodeKind.ELEMENT, model.attributes(i)));
    }
    indexer.typeEdges(metamodels);
    for (int i = 0; i < model.size(); i++) {
      indexer.edges(i, files[model.file(i)]);
    }
    return indexer.nodes;
  }

  /** Creates the nodes of metamodels and of their types. */
  private Map<EPackage, Long> metamodels(List<EPackage> packages) {
    Map<EPackage, Long> created = new LinkedHashMap<>();
    for (EPackage ePackage : packages) {
      created.put(ePackage, loader.createNode(NodeKind.METAMODEL, metamodelProperties(ePackage)));
      for (EClass eClass : Metamodel.classes(ePackage)) {
        types.put(eClass, loader.createNode(NodeKind.TYPE, typeProperties(eClass)));
      }
    }
    return created;
  }

  /** What a metamodel's node keeps. */
  static Map<String, Object> metamodelProperties(EPackage ePackage) {
    return Map.of(Layout.NS_URI, ePackage.getNsURI(), Layout.ECORE, Metamodel.text(ePackage));
  }

  /** What a type's node keeps. */
  static Map<String, Object> typeProperties(EClass eClass) {
    return Map.of(Layout.NS_URI, eClass.getEPackage().getNsURI(), Layout.NAME, eClass.getName());
  }

  private void typeEdges(Map<EPackage, Long> metamodels) {
    int inMetamodel = loader.label(Layout.IN_METAMODEL);
    int supertype = loader.label(Layout.SUPERTYPE);
    types.forEach(
        (eClass, node) -> {
          loader.createEdge(node, inMetamodel, metamodels.get(Metamodel.root(eClass)));
          for (EClass parent : eClass.getESuperTypes()) {
            if (types.containsKey(parent)) {
              loader.createEdge(node, supertype, types.get(parent));
            }
          }
        });
  }

  private Shape shape(EClass eClass) {
    List<EReference> references = eClass.getEAllReferences();
    int[] labels = references.stream().mapToInt(r -> loader.label(Layout.label(r))).toArray();
    long[] kinds =
        Stream.concat(Stream.of(eClass), eClass.getEAllSuperTypes().stream())
            .filter(types::containsKey)
            .mapToLong(types::get)
            .toArray();
    return new Shape(references, labels, types.get(eClass), kinds);
  }

  private void edges(int index, long file) {
    long node = nodes.get(index);
    Shape shape = shapes.computeIfAbsent(model.element(index).eClass(), this::shape);
    loader.createEdge(node, ofType, shape.type());
    for (long kind : shape.kinds()) {
      loader.createEdge(node, ofKind, kind);
    }
    loader.createEdge(node, inFile, file);
    for (int r = 0; r < shape.labels().length; r++) {
      for (int target : model.targets(index, shape.references().get(r))) {
        loader.createEdge(node, shape.labels()[r], nodes.get(target));
      }
    }
  }
}
