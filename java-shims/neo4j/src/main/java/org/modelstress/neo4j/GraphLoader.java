package org.modelstress.neo4j;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
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
  private static final int BATCH = 20_000;

  /** What Neo4j stores as it is; everything else becomes text. */
  private static final Set<Class<?>> PLAIN =
      Set.of(Boolean.class, Integer.class, Long.class, Float.class, Double.class);

  private final GraphDatabaseService database;
  private final ElementIndex elements;
  private final String[] nodes;
  private final Set<EAttribute> numbers = new LinkedHashSet<>();

  GraphLoader(GraphDatabaseService database, ModelSource model) {
    this.database = database;
    elements = new ElementIndex(model.roots());
    nodes = new String[elements.size()];
  }

  /** Writes everything, and returns how many elements there are. */
  int load(Progress progress) {
    write(this::writeNode, done -> progress.at(done, 2L * nodes.length));
    write(this::writeReferences, done -> progress.at(nodes.length + done, 2L * nodes.length));
    try (Transaction transaction = database.beginTx()) {
      for (EAttribute number : numbers) {
        Label type = Label.label(number.getEContainingClass().getName());
        transaction.schema().indexFor(type).on(number.getName()).create();
      }
      transaction.commit();
    }
    try (Transaction transaction = database.beginTx()) {
      transaction.schema().awaitIndexesOnline(1, TimeUnit.HOURS);
    }
    return nodes.length;
  }

  /** In transactions of bounded size. */
  private void write(ObjIntConsumer<Transaction> element, LongConsumer progress) {
    for (int done = 0; done < nodes.length; progress.accept(done)) {
      try (Transaction transaction = database.beginTx()) {
        for (int end = Math.min(done + BATCH, nodes.length); done < end; done++) {
          element.accept(transaction, done);
        }
        transaction.commit();
      }
    }
  }

  private void writeNode(Transaction transaction, int index) {
    EObject element = elements.element(index);
    Node node = transaction.createNode(Label.label(element.eClass().getName()));
    nodes[index] = node.getElementId();
    node.setProperty("_index", index);
    for (EClass type : element.eClass().getEAllSuperTypes()) {
      node.addLabel(Label.label(type.getName()));
    }
    for (EAttribute attribute : element.eClass().getEAllAttributes()) {
      Object value = isOwn(attribute) ? element.eGet(attribute) : null;
      if (value != null) {
        node.setProperty(attribute.getName(), property(attribute.getEAttributeType(), value));
      }
      if (value instanceof Number && PLAIN.contains(value.getClass())) {
        numbers.add(attribute);
      }
    }
  }

  private static Object property(EDataType type, Object value) {
    if (value instanceof Collection<?> all) {
      return all.stream().map(one -> EcoreUtil.convertToString(type, one)).toArray(String[]::new);
    }
    return PLAIN.contains(value.getClass()) ? value : EcoreUtil.convertToString(type, value);
  }

  private void writeReferences(Transaction transaction, int index) {
    EObject element = elements.element(index);
    Node from = transaction.getNodeByElementId(nodes[index]);
    for (EReference reference : element.eClass().getEAllReferences()) {
      Object value = isStored(reference) ? element.eGet(reference) : null;
      Collection<?> targets =
          value instanceof Collection<?> all ? all : Stream.ofNullable(value).toList();
      for (Object target : targets) {
        Node to = transaction.getNodeByElementId(nodes[(int) elements.indexOf((EObject) target)]);
        from.createRelationshipTo(to, RelationshipType.withName(reference.getName()));
      }
    }
  }

  private static boolean isOwn(EStructuralFeature feature) {
    return !feature.isDerived() && !feature.isVolatile();
  }

  /** Of two opposites the containment, else the first by name. */
  private static boolean isStored(EReference reference) {
    EReference opposite = reference.getEOpposite();
    boolean first = opposite == null || reference.getName().compareTo(opposite.getName()) <= 0;
    return isOwn(reference) && (reference.isContainment() || (first && !reference.isContainer()));
  }
}
