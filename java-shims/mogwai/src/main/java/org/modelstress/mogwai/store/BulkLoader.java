package org.modelstress.mogwai.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EcorePackage;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.ToolServer.Progress;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelException;

/**
 * Writes a model as a NeoEMF/Graph database, in {@link Schema}, past NeoEMF: with Neo4j's batch
 * inserter, without transactions.
 *
 * <p>Neo4j puts a new edge before all others of its vertices, so edges are written from the last to
 * the first: reading a list then yields ascending positions, and the instances of a class come in
 * the order of the model. Edges from a vertex to itself are an exception: Neo4j gives them last.
 */
public final class BulkLoader {
  private static final int PROGRESS_STEP = 1 << 12;

  private final ElementIndex elements;
  private final Identifiers identifiers;
  private final Progress progress;
  private final DatabaseWriter writer;
  private final Map<EClass, StoredClass> classes;
  private final Map<EClass, Long> classVertices = new IdentityHashMap<>();

  /** Vertex of the first element; the others follow. */
  private long first;

  private long rootVertex;

  private BulkLoader(
      ElementIndex elements,
      Map<EClass, StoredClass> classes,
      Identifiers identifiers,
      DatabaseWriter writer,
      Progress progress) {
    this.elements = elements;
    this.classes = classes;
    this.identifiers = identifiers;
    this.writer = writer;
    this.progress = progress;
  }

  /**
   * Loads a model with one root.
   *
   * @return number of its elements
   * @see #load(List, Path, Path, String, Progress)
   */
  public static int load(EObject root, Path folder, Path ids, String modelSha256, Progress progress)
      throws ModelException {
    return load(List.of(root), folder, ids, modelSha256, progress);
  }

  /**
   * Loads a model. What a failed load leaves is to be deleted by the caller.
   *
   * @param folder of the new database; empty or missing
   * @param ids file to write, identifier → index of every element
   * @param modelSha256 from which identifiers are made: same hash, same identifiers
   * @return number of elements
   * @throws ModelException if the model has something that NeoEMF cannot store
   * @throws StoreException if the files cannot be written
   */
  public static int load(
      List<? extends EObject> roots, Path folder, Path ids, String modelSha256, Progress progress)
      throws ModelException {
    ElementIndex elements = new ElementIndex(roots);
    Map<EClass, StoredClass> classes = StoredClass.allOf(elements);
    Identifiers identifiers = new Identifiers(modelSha256);
    DatabaseFolder database = new DatabaseFolder(folder);
    database.checkEmpty();
    try {
      try (DatabaseWriter writer = new DatabaseWriter(database)) {
        new BulkLoader(elements, classes, identifiers, writer, progress).run(roots);
      }
      DatabaseWriter.finish(database);
      writeIds(elements.size(), identifiers, ids);
    } catch (IOException e) {
      throw new StoreException(
          "The database in " + folder + " cannot be written: " + e.getMessage() + ".", e);
    }
    progress.at(elements.size(), elements.size());
    return elements.size();
  }

  private static void writeIds(int count, Identifiers identifiers, Path ids) throws IOException {
    IdsFile.Writer writer = IdsFile.ofStrings(ids);
    try (writer) {
      for (int i = 0; i < count; i++) {
        writer.put(identifiers.element(i), i);
      }
    } catch (RuntimeException e) {
      writer.abandon();
      throw e;
    }
  }

  private void run(List<? extends EObject> roots) throws ModelException, IOException {
    createClass(EcorePackage.Literals.EOBJECT);
    for (int i = 0; i < elements.size(); i++) {
      EClass eClass = elements.element(i).eClass();
      if (!classVertices.containsKey(eClass)) {
        createClass(eClass);
      }
    }
    rootVertex =
        writer.createVertex(Schema.ROOT, Map.of(Schema.size(Schema.CONTENTS), roots.size()));
    createElements();
    for (int i = elements.size() - 1; i >= 0; i--) {
      createEdges(i);
      report(2L * elements.size() - i);
    }
    long eObject = classVertices.get(EcorePackage.Literals.EOBJECT);
    for (int i = roots.size() - 1; i >= 0; i--) {
      edge(Schema.CONTENTS, rootVertex, vertex(elements.indexOf(roots.get(i))), i);
    }
    edge(Schema.INSTANCE_OF, rootVertex, eObject);
  }

  private void createClass(EClass eClass) throws IOException {
    long vertex =
        writer.createVertex(
            Schema.classId(eClass),
            Map.of(Schema.NAME, eClass.getName(), Schema.NS_URI, eClass.getEPackage().getNsURI()));
    writer.indexClass(eClass.getName(), vertex);
    classVertices.put(eClass, vertex);
  }

  private void createElements() throws ModelException, IOException {
    Map<String, Object> properties = new LinkedHashMap<>();
    for (int i = 0; i < elements.size(); i++) {
      EObject element = elements.element(i);
      properties.clear();
      classes.get(element.eClass()).putProperties(element, properties);
      long vertex = writer.createVertex(identifiers.element(i), properties);
      if (i == 0) {
        first = vertex;
      } else if (vertex != first + i) {
        throw new IllegalStateException("Neo4j gave vertex " + vertex + " to element " + i);
      }
      report(i);
    }
  }

  private void createEdges(int index) throws ModelException, IOException {
    EObject element = elements.element(index);
    StoredClass storedClass = classes.get(element.eClass());
    List<EReference> references = storedClass.references();
    for (int r = references.size() - 1; r >= 0; r--) {
      EReference reference = references.get(r);
      if (!element.eIsSet(reference)) {
        continue;
      }
      Object value = element.eGet(reference);
      if (reference.isMany()) {
        List<?> targets = (List<?>) value;
        for (int position = targets.size() - 1; position >= 0; position--) {
          createEdge(index, reference, targets.get(position), position);
        }
      } else if (value != null) {
        createEdge(index, reference, value, -1);
      }
    }
    edge(Schema.INSTANCE_OF, vertex(index), classVertices.get(element.eClass()));
  }

  private void createEdge(int index, EReference reference, Object target, int position)
      throws ModelException, IOException {
    long targetVertex = vertex(indexOf(reference, (EObject) target));
    if (position < 0) {
      edge(reference.getName(), vertex(index), targetVertex);
    } else {
      edge(reference.getName(), vertex(index), targetVertex, position);
    }
    if (reference.isContainment()) {
      writer.createEdge(
          Schema.CONTAINER,
          targetVertex,
          vertex(index),
          identifiers.nextEdge(),
          Schema.CONTAINING_FEATURE,
          reference.getName());
    }
  }

  private long indexOf(EReference reference, EObject target) throws ModelException {
    try {
      return elements.indexOf(target);
    } catch (IllegalArgumentException e) {
      throw new ModelException(
          "Reference "
              + StoredClass.name(reference)
              + " leads out of the model, to "
              + target
              + "; a database holds one whole model.",
          e);
    }
  }

  private long vertex(long index) {
    return first + index;
  }

  private void edge(String label, long from, long to) throws IOException {
    writer.createEdge(label, from, to, identifiers.nextEdge(), null, null);
  }

  private void edge(String label, long from, long to, int position) throws IOException {
    writer.createEdge(label, from, to, identifiers.nextEdge(), Schema.POSITION, position);
  }

  /** Half of the work is vertices, half is edges. */
  private void report(long steps) {
    if (steps % PROGRESS_STEP == 0) {
      progress.at(steps / 2, elements.size());
    }
  }
}
