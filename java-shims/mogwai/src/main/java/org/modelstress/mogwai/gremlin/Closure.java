package org.modelstress.mogwai.gremlin;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.eclipse.ocl.util.CollectionUtil;

/** {@code closure}: depth first, the sources themselves only if they are reached. */
final class Closure {
  private Closure() {}

  /** All elements that the body leads to, step by step. */
  static Object of(Collection<?> sources, int slot, Plan body, boolean ordered, Frame frame) {
    Collection<Object> reached =
        ordered ? CollectionUtil.createNewOrderedSet() : CollectionUtil.createNewSet();
    Deque<Iterator<?>> path = new ArrayDeque<>();
    path.push(sources.iterator());
    while (!path.isEmpty()) {
      if (!path.peek().hasNext()) {
        path.pop();
        continue;
      }
      Object element = path.peek().next();
      frame.step();
      frame.slots[slot] = element;
      Object next = body.safe(frame);
      if (next == Plan.INVALID) {
        // Eclipse OCL's result is invalid at a source; further on it stops with what it has
        return path.size() == 1 ? Plan.INVALID : reached;
      }
      boolean isNew = path.size() == 1 || reached.add(element);
      if (isNew && next != null) {
        Collection<?> all = next instanceof Collection<?> many ? many : List.of(next);
        path.push(all.iterator());
      }
    }
    return reached;
  }
}
