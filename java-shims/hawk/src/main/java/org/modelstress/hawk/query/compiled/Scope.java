package org.modelstress.hawk.query.compiled;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The variables that can be seen at a place of a query, with their slots. */
final class Scope {
  /**
   * A variable.
   *
   * @param shape of all values that it ever has
   * @param assignable whether any value can be assigned to it
   */
  record Variable(int slot, Shape shape, boolean assignable) {}

  private final Deque<Map<String, Variable>> frames = new ArrayDeque<>();
  private final Set<String> assigned;
  private int slots;

  /**
   * A scope without variables.
   *
   * @param assigned names of the variables that get another value later
   */
  Scope(Set<String> assigned) {
    this.assigned = assigned;
    enter();
  }

  void enter() {
    frames.push(new HashMap<>());
  }

  void leave() {
    frames.pop();
  }

  /** A variable that nobody can name. */
  int hidden() {
    return slots++;
  }

  Variable declare(String name, Shape shape) {
    return put(name, new Variable(slots++, assigned.contains(name) ? Shape.ANY : shape, true));
  }

  /** A variable that the query does not assign to. */
  Variable constant(String name) {
    return put(name, new Variable(slots++, Shape.ANY, false));
  }

  private Variable put(String name, Variable variable) {
    frames.element().put(name, variable);
    return variable;
  }

  /** The variable that a name means, or null. */
  Variable find(String name) {
    for (Map<String, Variable> frame : frames) {
      Variable found = frame.get(name);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** Number of slots that a frame needs. */
  int slots() {
    return slots;
  }
}
