package org.modelstress.hawk.query.compiled;

import org.modelstress.hawk.catalog.Catalog;

/**
 * What is known of a value before it is there; null where nothing is.
 *
 * @param element a type of the value if it is an element
 * @param content a type of every element in it if it is a collection of elements
 */
record Shape(Catalog.Type element, Catalog.Type content) {
  static final Shape ANY = new Shape(null, null);

  static Shape one(Catalog.Type type) {
    return new Shape(type, null);
  }

  static Shape many(Catalog.Type type) {
    return new Shape(null, type);
  }
}
