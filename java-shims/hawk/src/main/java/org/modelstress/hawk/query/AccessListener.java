package org.modelstress.hawk.query;

/** Told which state of the graph an evaluation reads. */
public interface AccessListener {
  /**
   * A feature of an element was read: an attribute, a reference in either direction or a derived
   * attribute.
   */
  void element(long node, String feature);

  /** The extent of a type, or membership in it, was read. */
  void type(long typeNode);
}
