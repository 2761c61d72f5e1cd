package org.modelstress.hawk.graph;

/** Neo4j keeps the contract. */
class Neo4jTest extends GraphContract {
  @Override
  protected Backend backend() {
    return Backends.named("neo4j");
  }
}
