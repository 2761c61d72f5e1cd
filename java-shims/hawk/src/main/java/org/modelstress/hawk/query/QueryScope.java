package org.modelstress.hawk.query;

import java.util.List;

/**
 * What a query may see.
 *
 * @param filePatterns names of files with {@code *} as wildcard; only elements of matching files
 *     are in {@code Type.all}; empty for all files
 * @param defaultNamespaces namespace URIs that resolve a type name which several metamodels have;
 *     empty for none
 */
public record QueryScope(List<String> filePatterns, List<String> defaultNamespaces) {
  /** Everything. */
  public static final QueryScope ALL = new QueryScope(List.of(), List.of());
}
