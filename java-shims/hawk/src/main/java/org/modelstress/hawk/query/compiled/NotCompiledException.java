package org.modelstress.hawk.query.compiled;

/** A query uses something that is left to Epsilon's interpreter. */
final class NotCompiledException extends Exception {
  private static final long serialVersionUID = 1L;

  NotCompiledException(String what) {
    super(what, null, false, false);
  }
}
