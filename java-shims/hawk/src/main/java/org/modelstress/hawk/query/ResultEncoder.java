package org.modelstress.hawk.query;

import org.modelstress.hawk.graph.GraphReader;

/** Turns a query's result into what leaves the engine, while the transaction is still open. */
@FunctionalInterface
public interface ResultEncoder<T> {
  /**
   * Encodes a result.
   *
   * @param result null, Boolean, Number, String, {@link Element}, {@link
   *     org.modelstress.hawk.catalog.Catalog.Type}, or a Collection or Map of these; of an EPL
   *     query a list of maps from role to element, one per match
   */
  T encode(Object result, GraphReader reader);
}
