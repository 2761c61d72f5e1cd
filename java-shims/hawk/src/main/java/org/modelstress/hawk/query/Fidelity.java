package org.modelstress.hawk.query;

/** Whether weak points of the original are kept (DESIGN.md §3, §6). */
public enum Fidelity {
  /**
   * As the original: every query is parsed anew; hits of an index are intersected with the whole
   * extent of the type; a bare Boolean uses no index; {@code <>} on an indexed attribute fails.
   */
  PAPER,
  /** Parsed queries are kept (never results), a look-up costs its hits only. */
  IMPROVED
}
