package org.modelstress.hawk.query.compiled;

import org.modelstress.hawk.query.Element;

/** A compiled expression. Immutable, for any number of threads. */
abstract class Node {
  /** Evaluates it. */
  abstract Object eval(Frame frame);

  /** Evaluates it as a condition. */
  boolean test(Frame frame) {
    if (eval(frame) instanceof Boolean truth) {
      return truth;
    }
    throw Bailout.INSTANCE;
  }

  /** Evaluates it as an element. */
  long element(Frame frame) {
    if (eval(frame) instanceof Element element) {
      return element.node();
    }
    throw Bailout.INSTANCE;
  }

  /** What is known of its value. */
  Shape shape() {
    return Shape.ANY;
  }
}
