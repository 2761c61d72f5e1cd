package org.modelstress.mogwai.gremlin;

import static org.eclipse.ocl.utilities.PredefinedType.*;

import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;

/** Iterators that look at one element, or one combination of elements, after the other. */
enum Search {
  EXISTS_ONE,
  ALL,
  EXACTLY_ONE,
  FIRST_FOUND,
  UNIQUE;

  static Search of(int code) {
    return switch (code) {
      case EXISTS -> EXISTS_ONE;
      case FOR_ALL -> ALL;
      case ONE -> EXACTLY_ONE;
      case ANY -> FIRST_FOUND;
      default -> UNIQUE;
    };
  }

  /** The result over elements, each put into a variable before the body is evaluated. */
  Object over(Iterator<?> elements, int slot, Plan body, Frame frame) {
    Set<Object> values = this == UNIQUE ? new HashSet<>() : null;
    boolean found = false;
    while (elements.hasNext()) {
      Object element = elements.next();
      frame.step();
      frame.slots[slot] = element;
      Object value = body.safe(frame);
      if (this == UNIQUE) {
        if (!values.add(value)) {
          return false;
        }
        continue;
      }
      if (Plan.isUndefined(value)) {
        return Plan.INVALID;
      }
      boolean holds = (Boolean) value;
      if (this == ALL ? !holds : holds && (this != EXACTLY_ONE || found)) {
        return this == FIRST_FOUND ? element : this == EXISTS_ONE;
      }
      found |= holds;
    }
    return atEnd(found);
  }

  private Object atEnd(boolean found) {
    return switch (this) {
      case EXISTS_ONE -> false;
      case ALL, UNIQUE -> true;
      case EXACTLY_ONE -> found;
      case FIRST_FOUND -> null;
    };
  }

  /**
   * Puts every combination of elements into the variables, the first one changing fastest; what the
   * iterator gives is the first one's.
   */
  static Iterator<Object> combinations(Collection<?> all, int[] slots, Frame frame) {
    if (all.isEmpty()) {
      return java.util.Collections.emptyIterator();
    }
    return new Iterator<>() {
      private Iterator<?>[] iterators;

      @Override
      public boolean hasNext() {
        if (iterators == null) {
          return true;
        }
        for (Iterator<?> iterator : iterators) {
          if (iterator.hasNext()) {
            return true;
          }
        }
        return false;
      }

      @Override
      public Object next() {
        if (iterators == null) {
          iterators = new Iterator<?>[slots.length];
          for (int i = 0; i < slots.length; i++) {
            restart(i);
          }
          return frame.slots[slots[0]];
        }
        for (int i = 0; i < slots.length; i++) {
          if (iterators[i].hasNext()) {
            frame.slots[slots[i]] = iterators[i].next();
            for (int k = 0; k < i; k++) {
              restart(k);
            }
            return frame.slots[slots[0]];
          }
        }
        throw new NoSuchElementException();
      }

      private void restart(int i) {
        iterators[i] = all.iterator();
        frame.slots[slots[i]] = iterators[i].next();
      }
    };
  }
}
