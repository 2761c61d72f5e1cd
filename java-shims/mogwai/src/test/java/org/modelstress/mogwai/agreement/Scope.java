package org.modelstress.mogwai.agreement;

import java.util.ArrayList;
import java.util.List;

/**
 * What an expression may refer to.
 *
 * @param variables innermost last
 * @param loops number of iterators around it
 */
record Scope(List<Variable> variables, int loops) {
  static final Scope EMPTY = new Scope(List.of(), 0);

  /**
   * A variable of let, iterator or accumulator.
   *
   * @param name null for an iterator that has none: its features are written without a source
   */
  record Variable(String name, OclType type) {}

  Scope with(Variable variable) {
    List<Variable> more = new ArrayList<>(variables);
    more.add(variable);
    return new Scope(more, loops);
  }

  /** Inside one more iterator. */
  Scope inLoop() {
    return new Scope(variables, loops + 1);
  }

  /** Those whose features can be written: all that have a name and the innermost of the others. */
  List<Variable> sources() {
    List<Variable> sources = new ArrayList<>();
    boolean implicit = false;
    for (int i = variables.size() - 1; i >= 0; i--) {
      Variable variable = variables.get(i);
      if (variable.name() != null || !implicit) {
        sources.add(variable);
      }
      implicit |= variable.name() == null;
    }
    return sources;
  }

  /** The names of variables that may stand where a type is wanted. */
  List<Variable> fitting(OclType wanted) {
    return variables.stream().filter(v -> v.name() != null && v.type().fits(wanted)).toList();
  }
}
