package org.modelstress.neo4j;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjIntConsumer;
import java.util.stream.Stream;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.util.EcoreUtil;
import org.modelstress.harness.server.ToolServer.Progress;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelSource;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;

/**
 * Writes a model as a property graph. An element is a node with its class and all supertypes as
 * labels, an attribute a property, a reference a relationship; of two opposite references one is
 * stored, since relationships are followed in both directions. Numbers have an index.
 */
final class GraphLoader {
  /** Property of a node: the element's index in containment order, its identifier. */
  static final String IDENTIFIER = "_index";

  private static final int BATCH = 20_000;

  /** What Neo4j stores as it is; everything else becomes text. */
  private static final Set<Class<?>> PLAIN =
      Set.of(
          Boolean.class,
          Byte.class,
          Short.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          Character.class,
          String.class);

  private final GraphDatabaseService database;
  private final Progress progress;
  private final ElementIndex elements;
  private final String[] nodes;
  private final Set<EAttribute> numbers = new LinkedHashSet<>();

  GraphLoader(GraphDatabaseService database, ModelSource model, Progress progress) {
    this.database = database;
    this.progress = progress;
    elements = new ElementIndex(model.roots());
    nodes = new String[elements.size()];
  }

  /**
   * Writes everything, in transactions of bounded size, and returns how many elements there are.
   */
  int load() {
    inBatches(0, this::writeNode);
    inBatches(nodes.length, this::writeRelationships);
    writeIndexes();
    return nodes.length;
  }

  private void inBatches(int before, ObjIntConsumer<Transaction> write) {
    for (int done = 0; done < nodes.length; ) {
      try (Transaction transaction = database.beginTx()) {
        for (int end = Math.min(done + BATCH, nodes.length); done < end; done++) {
          write.accept(transaction, done);
        }
        transaction.commit();
      }
      progress.at((long) before + done, 2L * nodes.length);
    }
  }

  private void writeNode(Transaction transaction, int index) {
    EObject element = elements.element(index);
    Stream<EClass> types =
        Stream.concat(Stream.of(element.eClass()), element.eClass().getEAllSuperTypes().stream());
    Node node = transaction.createNode(types.map(GraphLoader::label).toArray(Label[]::new));
    nodes[index] = node.getElementId();
    node.setProperty(IDENTIFIER, (long) index);
    for (EAttribute attribute : element.eClass().getEAllAttributes()) {
      Object value = isOwn(attribute) ? element.eGet(attribute) : null;
      if (value != null) {
        node.setProperty(attribute.getName(), property(attribute.getEAttributeType(), value));
      }
      if (value instanceof Number) {
        numbers.add(attribute);
      }
    }
  }

  private static Label label(EClass type) {
    return Label.label(type.getName());
  }

  private static Object property(EDataType type, Object value) {
    if (value instanceof Collection<?> values) {
      return values.stream()
          .map(each -> EcoreUtil.convertToString(type, each))
          .toArray(String[]::new);
    }
    return PLAIN.contains(value.getClass()) ? value : EcoreUtil.convertToString(type, value);
  }

  private void writeRelationships(Transaction transaction, int index) {
    EObject element = elements.element(index);
    Node from = transaction.getNodeByElementId(nodes[index]);
    for (EReference reference : element.eClass().getEAllReferences()) {
      RelationshipType type = RelationshipType.withName(reference.getName());
      for (Object target : isStored(reference) ? targets(element.eGet(reference)) : List.of()) {
        int to = Math.toIntExact(elements.indexOf((EObject) target));
        from.createRelationshipTo(transaction.getNodeByElementId(nodes[to]), type);
      }
    }
  }

  private static Collection<?> targets(Object value) {
    return value instanceof Collection<?> many ? many : Stream.ofNullable(value).toList();
  }

  private static boolean isOwn(EStructuralFeature feature) {
    return !feature.isDerived() && !feature.isVolatile() && !feature.isTransient();
  }

  /**
   * Of two opposites: the containment, else the one with a single target, else the first by name.
   */
  private static boolean isStored(EReference reference) {
    EReference opposite = reference.getEOpposite();
    if (!isOwn(reference) || reference.isContainer()) {
      return false;
    }
    return opposite == null
        || reference.isContainment()
        || (reference.isMany() == opposite.isMany()
            ? reference.getName().compareTo(opposite.getName()) <= 0
            : !reference.isMany());
  }

  private void writeIndexes() {
    try (Transaction transaction = database.beginTx()) {
      for (EAttribute number : numbers) {
        Label type = label(number.getEContainingClass());
        transaction.schema().indexFor(type).on(number.getName()).create();
      }
      transaction.commit();
    }
    try (Transaction transaction = database.beginTx()) {
      transaction.schema().awaitIndexesOnline(1, TimeUnit.HOURS);
    }
  }
}
