package org.modelstress.topology.wire;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * What must hold of an object when it is written.
 *
 * @param condition in the query language, on the object's attributes as they are in the store
 * @param parameters of its question marks
 */
public record Predicate(String condition, ArrayList<Object> parameters) implements Serializable {
  /** A predicate. */
  public static Predicate of(String condition, Object... parameters) {
    return new Predicate(condition, new ArrayList<>(List.of(parameters)));
  }
}
