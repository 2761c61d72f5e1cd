package org.modelstress.hawk.query.compiled;

/**
 * Something came up that only Epsilon's interpreter knows how to treat, most often an error: it
 * then evaluates the whole query again. Queries change nothing but collections of their own, so
 * nobody sees that they were begun twice.
 */
final class Bailout extends RuntimeException {
  private static final long serialVersionUID = 1L;
  static final Bailout INSTANCE = new Bailout();

  private Bailout() {
    super("left to the interpreter", null, false, false);
  }
}
