package org.modelstress.mogwai.store;

import com.tinkerpop.blueprints.impls.neo4j.Neo4jGraph;
import org.eclipse.emf.ecore.EPackage;
import org.neo4j.graphdb.GraphDatabaseService;

/** An open NeoEMF/Graph database, for reading by any number of threads. */
public interface ModelGraph extends AutoCloseable {
  /** What NeoEMF's own graph wraps; see {@link Schema}. */
  Neo4jGraph graph();

  /** What that wraps in turn. */
  GraphDatabaseService database();

  /** The metamodels that the model may use, by nsURI. */
  EPackage.Registry packages();

  @Override
  void close();
}
