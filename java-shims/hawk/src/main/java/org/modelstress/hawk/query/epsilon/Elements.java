package org.modelstress.hawk.query.epsilon;

import java.util.Collection;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.eclipse.epsilon.eol.types.EolSequence;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.query.Element;
import org.modelstress.hawk.query.NodeList;

/** Elements as the values of EOL. */
final class Elements {
  private Elements() {}

  static Element one(long node) {
    return node == GraphReader.NONE ? null : new Element(node);
  }

  static Collection<Object> fresh(LongArrayList nodes) {
    EolSequence<Object> list = new EolSequence<>();
    list.ensureCapacity(nodes.size());
    for (int i = 0; i < nodes.size(); i++) {
      list.add(new Element(nodes.get(i)));
    }
    return list;
  }

  /** A list that the query may change instead of one that it may not. */
  static Object mutable(Object value) {
    return value instanceof NodeList list ? fresh(list.nodes()) : value;
  }
}
