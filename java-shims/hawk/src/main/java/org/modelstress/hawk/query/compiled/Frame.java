package org.modelstress.hawk.query.compiled;

import org.modelstress.hawk.query.GraphAccess;

/** The variables of one evaluation. */
final class Frame {
  final GraphAccess graph;
  final Object[] slots;

  /** What a {@code return} statement gave. */
  Object returned;

  Frame(GraphAccess graph, int slots) {
    this.graph = graph;
    this.slots = new Object[slots];
  }
}
