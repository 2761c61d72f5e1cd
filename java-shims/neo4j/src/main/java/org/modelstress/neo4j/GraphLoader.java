package org.modelstress.neo4j;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.ObjIntConsumer;
import org.eclipse.emf.ecore.EAttribute;
import org.modelstress.harness.server.ToolServer.Progress;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelSource;
import org.modelstress.models.PropertyGraph;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;

/** Writes a model as a property graph, in which numbers have an index. */
final class GraphLoader {
  private static final int BATCH = 20_000;

  private final GraphDatabaseService database;
  private final PropertyGraph graph;
  private final String[] nodes;

  GraphLoader(GraphDatabaseService database, ModelSource model) {
    this.database = database;
    graph = new PropertyGraph(new ElementIndex(model.roots()));
    nodes = new String[graph.size()];
  }

  /** Writes everything, and returns how many elements there are. */
  int load(Progress progress) {
    write(this::writeNode, done -> progress.at(done, 2L * nodes.length));
    write(this::writeEdges, done -> progress.at(nodes.length + done, 2L * nodes.length));
    try (Transaction transaction = database.beginTx()) {
      for (EAttribute number : graph.numbers()) {
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
    Node node = transaction.createNode();
    nodes[index] = node.getElementId();
    graph.labels(index).forEach(label -> node.addLabel(Label.label(label)));
    graph
        .properties(index)
        .forEach(
            (name, value) ->
                node.setProperty(
                    name, value instanceof List<?> all ? all.toArray(String[]::new) : value));
  }

  private void writeEdges(Transaction transaction, int index) {
    Node from = transaction.getNodeByElementId(nodes[index]);
    for (PropertyGraph.Edge edge : graph.edges(index)) {
      Node to = transaction.getNodeByElementId(nodes[edge.target()]);
      from.createRelationshipTo(to, RelationshipType.withName(edge.type()));
    }
  }
}
