package org.modelstress.hawk.graph;

import org.modelstress.hawk.graph.orient.OrientBackend;

/** OrientDB keeps the contract of the graph. */
class OrientContractTest extends GraphContract {
  @Override
  protected Backend backend() {
    return new OrientBackend();
  }
}
