package org.modelstress.mogwai.gremlin;

import java.util.Iterator;
import java.util.List;
import org.eclipse.emf.ecore.EClass;
import org.neo4j.graphdb.Relationship;

/**
 * The instances of a class and of its subclasses: from the vertex of each concrete class IN along
 * {@code kyanosInstanceOf}.
 *
 * @param classes concrete ones
 */
record Extent(List<EClass> classes) implements Source {
  @Override
  public Iterator<?> open(Frame frame) {
    if (classes.size() == 1) {
      return instances(frame, classes.get(0));
    }
    return new Iterator<Object>() {
      private final Iterator<EClass> rest = classes.iterator();
      private Iterator<?> inner = List.of().iterator();

      @Override
      public boolean hasNext() {
        while (!inner.hasNext()) {
          if (!rest.hasNext()) {
            return false;
          }
          inner = instances(frame, rest.next());
        }
        return true;
      }

      @Override
      public Object next() {
        return hasNext() ? inner.next() : List.of().iterator().next();
      }
    };
  }

  private static Iterator<?> instances(Frame frame, EClass type) {
    Iterator<Relationship> edges = frame.elements.instances(type).iterator();
    return new Neighbours.Ends(edges, false);
  }
}
