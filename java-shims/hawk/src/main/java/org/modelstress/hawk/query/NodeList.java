package org.modelstress.hawk.query;

import java.util.AbstractList;
import java.util.RandomAccess;
import java.util.stream.Stream;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;

/** Elements as their nodes only; cannot be changed. */
public class NodeList extends AbstractList<Object> implements RandomAccess {
  private LongArrayList nodes;

  public NodeList(LongArrayList nodes) {
    this.nodes = nodes;
  }

  /** The nodes, which nobody may change. */
  public LongArrayList nodes() {
    if (nodes == null) {
      nodes = fetch();
    }
    return nodes;
  }

  /** Reads the nodes of a list that was made without them. */
  protected LongArrayList fetch() {
    throw new IllegalStateException("no nodes");
  }

  @Override
  public Element get(int index) {
    return new Element(nodes().get(index));
  }

  @Override
  public int size() {
    return nodes().size();
  }

  @Override
  public boolean contains(Object o) {
    return o instanceof Element element && nodes().contains(element.node());
  }

  /** In this thread: readers of the graph belong to one. */
  @Override
  public Stream<Object> parallelStream() {
    return stream();
  }
}
