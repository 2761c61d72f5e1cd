package org.modelstress.mogwai.store;

import fr.inria.atlanmod.neoemf.data.blueprints.neo4j.option.BlueprintsNeo4jResourceOptions.CacheType;

/**
 * How a database is opened.
 *
 * @param cacheType what Neo4j keeps of the nodes and relationships it has read: nothing, what soft
 *     or weak references keep, or everything
 * @param cacheMegabytes memory for the pages of the database's files, in MiB, at most
 */
public record StoreOptions(CacheType cacheType, int cacheMegabytes) {
  /** Soft references, as Neo4j has by itself, and pages of 256 MiB. */
  public static final StoreOptions DEFAULT = new StoreOptions(CacheType.SOFT, 256);

  /** Neo4j maps five files and wants a little memory for each. */
  public static final int LEAST_MEGABYTES = 5;

  /**
   * Checks.
   *
   * @throws IllegalArgumentException if the memory is too little; one sentence
   */
  public StoreOptions {
    if (cacheMegabytes < LEAST_MEGABYTES) {
      throw new IllegalArgumentException(
          "cache_mb is " + cacheMegabytes + "; it has to be at least " + LEAST_MEGABYTES + ".");
    }
  }
}
