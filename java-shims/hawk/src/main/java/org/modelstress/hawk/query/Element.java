package org.modelstress.hawk.query;

/**
 * A model element in a query's result.
 *
 * @param node its node in the graph
 */
public record Element(long node) {}
