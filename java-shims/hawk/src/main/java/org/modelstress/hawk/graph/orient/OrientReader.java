package org.modelstress.hawk.graph.orient;

import com.orientechnologies.orient.core.storage.OCluster;
import com.orientechnologies.orient.core.storage.OPhysicalPosition;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.graph.Comparison;
import org.modelstress.hawk.graph.GraphException;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.NodeKind;

/** Reads what is committed. Holds nothing of the database, so there is nothing to give back. */
final class OrientReader implements GraphReader {
  private final OrientGraph graph;
  private final NodeRecord reader = new NodeRecord();

  OrientReader(OrientGraph graph) {
    this.graph = graph;
  }

  private byte[] record(long node) {
    byte[] record = graph.record(node);
    if (record == null) {
      throw new GraphException("There is no node " + idText(node) + " in the graph.", null);
    }
    return record;
  }

  private String idText(long node) {
    return NodeIds.possible(node) ? graph.idText(node) : Long.toString(node);
  }

  @Override
  public boolean exists(long node) {
    return graph.record(node) != null;
  }

  @Override
  public NodeKind kind(long node) {
    return NodeIds.kind(node);
  }

  @Override
  public Object property(long node, int key) {
    return reader.property(record(node), key);
  }

  @Override
  public Map<String, Object> properties(long node) {
    Map<String, Object> properties = new HashMap<>();
    reader.properties(
        record(node), (value, key) -> properties.put(graph.tokens().name(key), value));
    return properties;
  }

  @Override
  public long target(long node, int label) {
    return reader.one(node, record(node), label, true);
  }

  @Override
  public long source(long node, int label) {
    return reader.one(node, record(node), label, false);
  }

  @Override
  public void targets(long node, int label, LongArrayList into) {
    reader.all(node, record(node), label, true, graph::chunk, into);
  }

  @Override
  public void sources(long node, int label, LongArrayList into) {
    reader.all(node, record(node), label, false, graph::chunk, into);
  }

  @Override
  public int outDegree(long node, int label) {
    return reader.degree(record(node), label, true);
  }

  @Override
  public int inDegree(long node, int label) {
    return reader.degree(record(node), label, false);
  }

  @Override
  public void nodes(NodeKind kind, LongArrayList into) {
    OCluster cluster = graph.store().nodes(kind);
    try {
      OPhysicalPosition[] page = cluster.ceilingPositions(new OPhysicalPosition(0));
      while (page.length > 0) {
        for (OPhysicalPosition position : page) {
          into.add(NodeIds.of(kind, position.clusterPosition));
        }
        page = cluster.higherPositions(page[page.length - 1]);
      }
    } catch (IOException | RuntimeException e) {
      throw graph.failed("list the nodes of", e);
    }
  }

  @Override
  public void lookup(String index, Comparison comparison, Object value, LongArrayList into) {
    OrientIndex its = graph.index(index);
    KeyRange range = KeyRange.of(its.type(), comparison, value);
    if (range == null) {
      return;
    }
    try {
      its.lookup(range, node -> reader.entry(record(node), its.number()), into::add);
    } catch (GraphException e) {
      throw e;
    } catch (Exception e) {
      throw graph.failed("look up index " + index + " of", e);
    }
  }

  @Override
  public void close() {
    // nothing is held
  }
}
