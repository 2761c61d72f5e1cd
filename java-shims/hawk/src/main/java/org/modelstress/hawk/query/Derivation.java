package org.modelstress.hawk.query;

import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.graph.Graph;
import org.modelstress.hawk.graph.GraphReader;

/** The parsed logic of a derived attribute: EOL, an expression or statements over {@code self}. */
public final class Derivation {
  private Derivation() {}

  /**
   * Parses the logic.
   *
   * @throws InvalidQueryException with line and column if it is not EOL
   */
  public static Derivation parse(String logic, Graph graph, Catalog catalog)
      throws InvalidQueryException {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Computes the value for one element; one thread at a time.
   *
   * @param reader sees the graph; a writer's uncommitted changes count
   * @param accesses told everything that was read
   * @return null, Boolean, Number, String or a collection of these
   * @throws FailedQueryException if the logic fails
   */
  public Object evaluate(GraphReader reader, long element, AccessListener accesses)
      throws FailedQueryException {
    throw new UnsupportedOperationException("not built yet");
  }
}
