package org.modelstress.mogwai.gremlin;

import java.util.Iterator;

/** Where a pipeline's elements come from; immutable. */
@FunctionalInterface
interface Source {
  /** Begins to read. */
  Iterator<?> open(Frame frame);
}
