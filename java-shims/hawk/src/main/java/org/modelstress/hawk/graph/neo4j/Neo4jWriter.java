package org.modelstress.hawk.graph.neo4j;

import java.util.Map;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphWriter;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.hawk.graph.neo4j.Neo4jGraph.Index;
import org.neo4j.exceptions.KernelException;
import org.neo4j.internal.kernel.api.Write;
import org.neo4j.values.storable.Value;
import org.neo4j.values.storable.Values;

/** Writes through the kernel. */
final class Neo4jWriter extends Neo4jReader implements GraphWriter {
  private final Runnable release;
  private Write changes;
  private boolean open = true;

  /**
   * Begins a transaction.
   *
   * @param release lets the next writer in
   */
  Neo4jWriter(Neo4jGraph graph, Runnable release) {
    super(graph);
    this.release = release;
  }

  /** A step that the kernel may refuse. */
  private interface Step<T> {
    T run(Write write) throws KernelException;
  }

  private <T> T run(Step<T> step) {
    try {
      if (changes == null) {
        changes = transaction.dataWrite();
      }
      return step.run(changes);
    } catch (KernelException | RuntimeException e) {
      throw graph.failure(e);
    }
  }

  @Override
  public long createNode(NodeKind kind, Map<String, Object> properties) {
    return run(
        write -> {
          long node =
              write.nodeCreateWithLabels(new int[] {graph.nodeLabel(), graph.kindLabel(kind)});
          for (Map.Entry<String, Object> property : properties.entrySet()) {
            write.nodeSetProperty(
                node, graph.key(property.getKey()), Values.of(property.getValue()));
          }
          return node;
        });
  }

  @Override
  public void setProperty(long node, int key, Object value) {
    run(
        write -> {
          if (value == null) {
            return write.nodeRemoveProperty(node, key);
          }
          write.nodeSetProperty(node, key, Values.of(value));
          return null;
        });
  }

  @Override
  public void createEdge(long from, int label, long to) {
    run(write -> write.relationshipCreate(from, label, to));
  }

  @Override
  public boolean deleteEdge(long from, int label, long to) {
    long edge = edge(from, label, to);
    return edge != NONE && run(write -> write.relationshipDelete(edge));
  }

  @Override
  public void deleteNode(long node) {
    run(
        write -> {
          // an entry set in this transaction would still be found
          for (Index index : graph.allIndices()) {
            write.nodeRemoveProperty(node, index.key());
          }
          return write.nodeDetachDelete(node);
        });
  }

  @Override
  public void setIndexed(String name, long node, Object value) {
    Index index = graph.index(name);
    Value entry = Entries.entry(value);
    if (value != null && entry == null) {
      throw new IllegalArgumentException("no index holds a " + value.getClass().getSimpleName());
    }
    run(
        write -> {
          if (value == null) {
            write.nodeRemoveProperty(node, index.key());
          } else {
            write.nodeSetProperty(node, index.key(), entry);
          }
          if (Entries.isLong(value)) {
            write.nodeSetProperty(node, index.longKey(), Values.of(value));
          } else if (value == null || value instanceof String) {
            write.nodeRemoveProperty(node, index.longKey());
          }
          return null;
        });
  }

  @Override
  public void commit() {
    if (!finish()) {
      throw new GraphException("the writer is closed", null);
    }
    run(write -> transaction.commit());
    changes = null;
    begin();
  }

  @Override
  public void close() {
    if (open) {
      open = false;
      try {
        super.close();
      } finally {
        release.run();
      }
    }
  }
}
