package org.modelstress.hawk.query;

/** Told which state of the graph an evaluation reads. */
public interface AccessListener {
  /**
   * A feature of an element was read: an attribute, a reference, a derived attribute, {@code
   * revRefNav_<reference>} (who refers to it), {@code eContainer}, {@code eContents}, or its type
   * ({@link org.modelstress.hawk.catalog.Layout#OF_TYPE}, which cannot change while it lives).
   */
  void element(long node, String feature);

  /** The extent of a type, subtypes included, was read. */
  void type(long typeNode);
}
